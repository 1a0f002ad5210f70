// What the desktop and the window do for each other: links, the window's place, the size of its page.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { command, environment, folder, program, says, script, serve, settled, start } from './harness.mjs'
import { ask, looksLike, openWindow, sessionBus, showsAPage, until, xserver } from './window.mjs'
import { closeWindow } from './x11.mjs'

/** A data folder with one thread, "An old thread.", and the script its agents speak from. */
async function withAThread(t) {
  const data = await folder(t)
  const path = await script(t, says('An answer.'), says('Another answer.'))
  const studio = await serve(t, { data, args: ['--script', path] })
  const { runId, threadId } = await start(studio, 'An old thread.', { agent: 'demo' })
  await settled(studio, runId, 'completed')
  await studio.stop()
  return { data, threadId, runId, args: ['--script', path] }
}

const runsOf = (data, threadId) =>
  ask(data, `select count(*) from runs join threads on threads.n = runs.thread where threads.id = '${threadId}'`)

/** Sends a message in the thread that is on the screen, and waits until it is a run of the one meant. */
async function writesInto(window, data, threadId) {
  await window.key('g', 'o', 'Return')
  await until('the message to be in the thread', async () => (await runsOf(data, threadId)) === '2')
}

const remembered = async (data) => {
  try {
    return JSON.parse(await readFile(join(data, 'window.json'), 'utf8'))
  } catch {
    return undefined // it is not written yet
  }
}

test('a link given to the first start is shown, and does nothing more', async (t) => {
  const display = await xserver(t)
  const { data, threadId, runId, args } = await withAThread(t)
  const window = await openWindow(t, display, data, [...args, `callboard://t/${threadId}/r/${runId}/e/2`])
  await showsAPage(window, 'desktop-moment')
  assert.equal(await runsOf(data, threadId), '1')
  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})

test('a second start gives its link to the window that is open, which shows it, and ends with 0, without a session bus', async (t) => {
  const display = await xserver(t)
  const { data, threadId, args } = await withAThread(t)
  const window = await openWindow(t, display, data, args)
  await showsAPage(window, 'desktop-before-link')
  const refused = await command(program, ['--data', data, 'callboard://run?input=hi'], window.env)
  assert.equal(refused.status, 0, refused.stderr)
  await until('the window to say that it knows no such link', async () => {
    return !(await looksLike(window, 'desktop-no-link', 'desktop-before-link'))
  })
  assert.equal(await ask(data, 'select count(*) from runs'), '1', 'nothing was started')

  const second = await command(program, ['--data', data, `callboard://t/${threadId}`], window.env)
  assert.equal(second.status, 0, second.stderr)
  assert.match(second.stderr, /the window that is open on .* comes to the front/)
  await showsAPage(window, 'desktop-link')
  await writesInto(window, data, threadId)
  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})

test('a file of a thread given to a second start is opened in the window, and nothing of it runs', async (t) => {
  const display = await xserver(t)
  const bus = await sessionBus(t)
  const old = await withAThread(t)
  const file = join(await folder(t), 'an old thread.callboard')
  const exported = await command(program, ['export', old.threadId, '--data', old.data, '--out', file])
  assert.equal(exported.status, 0, exported.stderr)

  const data = await folder(t)
  const window = await openWindow(t, display, data, old.args, bus)
  await showsAPage(window, 'desktop-before-file')
  const second = await command(program, ['--data', data, file], window.env)
  assert.equal(second.status, 0, second.stderr)
  await until('the thread of the file', async () => (await ask(data, 'select count(*) from threads')) === '1')
  const threadId = await ask(data, 'select id from threads')
  await until('the window to show it', async () => !(await looksLike(window, 'desktop-file', 'desktop-before-file')))
  await showsAPage(window, 'desktop-file')
  assert.equal(await runsOf(data, threadId), '1')
  await writesInto(window, data, threadId)
  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})

test('size, place and zoom are remembered, also by a window that is killed, and a place off the screen is none', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const first = await openWindow(t, display, data)
  await showsAPage(first, 'desktop-first')
  await first.command('windowsize', '--sync', first.id, '1010', '690')
  await first.command('windowmove', '--sync', first.id, '123', '77')
  await first.key('ctrl+plus')
  await until('the window to be remembered', async () => {
    const { width, height, place, zoom } = (await remembered(data)) ?? {}
    return width === 1010 && height === 690 && place?.x === 123 && place?.y === 77 && zoom === 110
  })
  process.kill(first.pid, 'SIGKILL')
  await first.exited

  const second = await openWindow(t, display, data)
  await showsAPage(second, 'desktop-second')
  await until('the window to be where it was', async () => {
    return (await second.command('getwindowgeometry', second.id)).includes(
      'Position: 123,77 (screen: 0)\n  Geometry: 1010x690',
    )
  })
  await second.key('ctrl+0')
  await until('the page to have its usual size', async () => (await remembered(data))?.zoom === 100)
  await second.command('windowmove', '--sync', second.id, '200', '100')
  await closeWindow(display, second.id)
  assert.deepEqual(await second.exited, { status: 0, signal: null }, second.log())
  assert.deepEqual((await remembered(data)).place, { x: 200, y: 100 }, 'it was remembered as it closed')

  await writeFile(join(data, 'window.json'), JSON.stringify({ width: 1010, height: 690, place: { x: 5000, y: -900 } }))
  const third = await openWindow(t, display, data)
  await showsAPage(third, 'desktop-third')
  await until('the window to be back on the screen', async () => {
    return (await third.command('getwindowgeometry', third.id)).includes('Position: 390,0 (screen: 0)')
  })
})

/** Where a window stands. */
async function geometry(window) {
  const said = await window.command('getwindowgeometry', '--shell', window.id)
  const [x, y] = ['X', 'Y'].map((name) => Number(new RegExp(`^${name}=(-?[0-9]+)$`, 'm').exec(said)?.[1]))
  return { x, y }
}

test('a window is where it was on a wide screen, and once a part of that is gone on what is left', async (t) => {
  const display = await xserver(t, '2400x800')
  const data = await folder(t)
  const stored = { width: 900, height: 600, place: { x: 1350, y: 120 }, maximised: false, zoom: 100 }
  await writeFile(join(data, 'window.json'), JSON.stringify(stored))
  const standsAt = (window, wanted) =>
    until(`the window to be ${wanted} px from the left`, async () => {
      const { x, y } = await geometry(window)
      return x === wanted && y === 120
    })
  const first = await openWindow(t, display, data)
  await standsAt(first, 1350)
  await closeWindow(display, first.id)
  assert.deepEqual(await first.exited, { status: 0, signal: null }, first.log())

  // What GTK sees of an X server of one output is one screen, here the left half.
  const half = ['--setmonitor', 'half', '1200/300x800/200+0+0', 'screen']
  assert.equal((await command('xrandr', half, environment({ DISPLAY: `:${display}` }))).status, 0)
  const second = await openWindow(t, display, data)
  await standsAt(second, 300)
  await closeWindow(display, second.id)
  assert.deepEqual(await second.exited, { status: 0, signal: null }, second.log())
})
