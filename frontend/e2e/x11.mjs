// What a window manager does when a window's close button is pressed, for an X server without one.
import { connect } from 'node:net'

/** Asks a window to close, as its close button does. */
export async function closeWindow(display, window) {
  const socket = connect(`/tmp/.X11-unix/X${display}`)
  const read = reader(socket)
  try {
    const hello = Buffer.alloc(12)
    hello.write('l', 0)
    hello.writeUInt16LE(11, 2)
    socket.write(hello)
    const setup = await read(8)
    if (setup[0] !== 1) throw new Error(`the X server of :${display} refuses`)
    await read(setup.readUInt16LE(6) * 4)
    const atom = async (name) => {
      const padded = Math.ceil(name.length / 4) * 4
      const request = Buffer.alloc(8 + padded)
      request[0] = 16
      request.writeUInt16LE(2 + padded / 4, 2)
      request.writeUInt16LE(name.length, 4)
      request.write(name, 8)
      socket.write(request)
      return (await read(32)).readUInt32LE(8)
    }
    const protocols = await atom('WM_PROTOCOLS')
    const deleteWindow = await atom('WM_DELETE_WINDOW')
    const send = Buffer.alloc(44)
    send[0] = 25
    send.writeUInt16LE(11, 2)
    send.writeUInt32LE(window, 4)
    send[12] = 33 // ClientMessage
    send[13] = 32
    send.writeUInt32LE(window, 16)
    send.writeUInt32LE(protocols, 20)
    send.writeUInt32LE(deleteWindow, 24)
    socket.write(send)
    await atom('WM_NAME') // its answer says that all before it was read
  } finally {
    socket.destroy()
  }
}

/** Returns a function that reads the next so many bytes. */
function reader(socket) {
  let buffer = Buffer.alloc(0)
  let wake = () => undefined
  let fault
  socket.on('data', (data) => {
    buffer = Buffer.concat([buffer, data])
    wake()
  })
  socket.on('error', (error) => {
    fault = error
    wake()
  })
  return async (count) => {
    while (buffer.length < count) {
      if (fault) throw fault
      await new Promise((resolve) => (wake = resolve))
    }
    const head = buffer.subarray(0, count)
    buffer = buffer.subarray(count)
    return head
  }
}
