// The real window, on an X server without a screen, driven by its keyboard and judged by its picture.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  atEnd,
  calls,
  command,
  environment,
  folder,
  program,
  results,
  says,
  script,
  serve,
  until as wait,
} from './harness.mjs'
import { closeWindow } from './x11.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A window on a busy machine takes its time. */
const until = (what, check) => wait(what, check, 90_000)

/** Ends a process and waits until it has gone: an X server that is going takes the socket of the next one of its number along. */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await gone
}

/** Starts an X server and returns its number. */
async function xserver(t) {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let number = ''
  let log = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => (number += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  atEnd(t, () => ended(child))
  await until(`the X server: ${log}`, () => number.includes('\n'))
  return number.trim()
}

/** Starts a message bus of a session and returns the environment that leads to it. */
async function sessionBus(t) {
  const child = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'])
  let address = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (address += text))
  atEnd(t, () => ended(child))
  await until('the message bus', () => address.includes('\n'))
  return { DBUS_SESSION_BUS_ADDRESS: address.trim() }
}

/** Starts the notifications of a session: returns what they said, and a function that presses the last one. */
async function notifications(t, bus) {
  const dir = await folder(t)
  const built = await command(
    'go',
    ['build', '-C', root, '-o', join(dir, 'notifyd'), './frontend/e2e/notifyd'],
    process.env,
  )
  assert.equal(built.status, 0, built.stderr)
  const child = spawn(join(dir, 'notifyd'), { env: environment(bus) })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  atEnd(t, () => ended(child))
  await until('the notifications', () => said.includes('ready'))
  return { said: () => said, press: () => child.stdin.write('press\n') }
}

/** Opens the program's window on an X server. */
async function openWindow(t, display, data, args = [], bus = {}) {
  const home = await folder(t)
  const env = environment({ DISPLAY: `:${display}`, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: '1', ...bus })
  const child = spawn(program, ['--data', data, ...args], { env })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  const exited = new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal })))
  atEnd(t, () => child.kill('SIGKILL'))
  const xdotool = async (...each) => (await command('xdotool', each, env)).stdout.trim()
  const id = await until('the window', () => xdotool('search', '--onlyvisible', '--name', '^Callboard$')).catch(
    (cause) => {
      throw new Error(`${cause.message}, which said: ${log}`, { cause })
    },
  )
  await xdotool('windowfocus', id)
  return {
    id: Number(id),
    pid: child.pid,
    env,
    exited,
    log: () => log,
    key: (...keys) => xdotool('key', '--delay', '60', ...keys),
    picture: (name) => picture(id, name, env),
    /** Waits until the window has a dialog of a title, and gives it the keyboard. */
    async dialog(title) {
      const dialogId = await until(`the dialog "${title}"`, () => xdotool('search', '--onlyvisible', '--name', title))
      await xdotool('windowfocus', '--sync', dialogId)
    },
    focus: () => xdotool('windowfocus', '--sync', id),
    /** Gives the keyboard to nobody. */
    blur: () => xdotool('windowfocus', '--sync', 'root'),
    type: (text) => xdotool('type', '--delay', '20', text),
  }
}

/** Saves a picture of a window under test-results and returns how many colours it has and how they spread. */
async function picture(window, name, env) {
  await mkdir(results, { recursive: true })
  const path = join(results, `${name}.png`)
  await command('import', ['-window', window, path], env)
  const { stdout } = await command('convert', [path, '-format', '%k %[fx:standard_deviation] %#', 'info:'], env)
  const [colours, spread, hash] = stdout.split(' ')
  return { colours: Number(colours), spread: Number(spread), hash }
}

/** Whether a picture shows a page: text has many shades, an empty window one or few. */
const shows = ({ colours, spread }) => colours > 200 && spread > 0.02

/** Waits until the window shows a page that stands still. */
async function showsAPage(window, name) {
  let before
  await until(
    'the window to show a page',
    async () => {
      const now = await window.picture(name)
      const still = shows(now) && now.hash === before?.hash
      before = now
      return still
    },
    30_000,
  )
}

/** Asks the window's database, beside the program that has it open. */
async function ask(data, sql) {
  const { stdout, stderr, status } = await command('sqlite3', ['-readonly', join(data, 'callboard.db'), sql])
  assert.equal(status, 0, stderr)
  return stdout.trim()
}

test('a window that shows nothing does not count as one that shows a page', async (t) => {
  const display = await xserver(t)
  assert.ok(!shows(await picture('root', 'window-none', environment({ DISPLAY: `:${display}` }))))
})

test('the window plays the demo: message, approval, end, and closes with 0', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const window = await openWindow(t, display, data)
  await showsAPage(window, 'window-start')
  const start = await window.picture('window-start')

  const status = () => ask(data, 'select status from runs')
  await window.key('Return')
  await until('the run to wait for its approval', async () => (await status()) === 'paused')
  await showsAPage(window, 'window-waiting')
  await window.key('shift+Tab')
  await until('A to approve', async () => {
    await window.key('a')
    await new Promise((resolve) => setTimeout(resolve, 700)) // so long the decision keys are dead on a row that just got the focus
    return (await status()) !== 'paused'
  })
  await until('the run to complete', async () => (await status()) === 'completed')
  await showsAPage(window, 'window-done')
  assert.notEqual((await window.picture('window-done')).hash, start.hash, 'the window shows something else now')

  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())

  const studio = await serve(t, { data })
  const [thread] = (await studio.api('GET', '/threads')).threads
  assert.equal(thread.status, 'completed')
  const { folder: sample } = await studio.api('GET', `/studio/threads/${thread.id}`)
  assert.ok((await readFile(join(sample, 'dist/staging/RELEASE'), 'utf8')).length > 0, 'the approved command ran')
})

test('closing the window while a run is live asks first, and stops the run only when told to', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const path = await script(t, [{ text: 'I think' }, { delayMs: 600_000 }, ...says('.')])
  const window = await openWindow(t, display, data, ['--script', path])
  await showsAPage(window, 'window-live')
  const status = () => ask(data, 'select status from runs')
  await window.key('g', 'o', 'Return')
  await until('the run to be live', async () => (await status()) === 'running')

  const quiet = () => new Promise((resolve) => setTimeout(resolve, 1500))
  await closeWindow(display, window.id)
  await quiet()
  await window.picture('window-quit')
  await window.key('Escape')
  await quiet()
  assert.equal(await status(), 'running', 'the run goes on')

  await closeWindow(display, window.id)
  await quiet()
  await window.key('Tab', 'Tab', 'Return') // past Close and Cancel
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
  assert.equal(await status(), 'cancelled')
})

test('a data folder that another program has open is told in the window, and it ends with 1', async (t) => {
  const display = await xserver(t)
  const studio = await serve(t)
  const window = await openWindow(t, display, studio.dir)
  await until('the page to say so', async () => (await window.picture('window-in-use')).colours > 20)
  await closeWindow(display, window.id)
  assert.equal((await window.exited).status, 1)
  assert.match(window.log(), /in use/)
})

test('a second program on the data folder of a window says so, ends with 1, and the window lives on', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const bus = await sessionBus(t)
  const window = await openWindow(t, display, data, [], bus)
  await showsAPage(window, 'window-first')
  const second = await command(program, ['--data', data], window.env)
  assert.equal(second.status, 1)
  assert.match(second.stderr, /in use by another Callboard \(process \d+\).*comes to the front/)
  await showsAPage(window, 'window-first')
  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})

test('Save of a block asks where and writes the file', async (t) => {
  const display = await xserver(t)
  const work = await folder(t)
  await writeFile(join(work, 'note.txt'), 'What is kept.\n')
  const path = await script(t, calls(['c1', 'read_file', { path: 'note.txt' }]), says('Done.'))
  const window = await openWindow(t, display, await folder(t), ['--script', path, '--folder', work])
  await showsAPage(window, 'window-save')
  await window.key('g', 'o', 'Return')
  await showsAPage(window, 'window-read')
  await window.key('shift+Tab', 'Home', 'Down', 'Down', 'Right')
  await showsAPage(window, 'window-opened')
  await window.key('Tab', 'Tab', 'Tab', 'Return')
  await window.dialog('^Save$')
  const saved = join(work, 'saved.txt')
  await window.key('ctrl+a')
  await window.type(saved)
  await window.key('Return')
  const content = await until('the file', () => readFile(saved, 'utf8').catch(() => ''))
  assert.equal(content, 'What is kept.\n')
})

test('a notification says what waits while nobody looks, and a press on it leads to the card', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const bus = await sessionBus(t)
  const desktop = await notifications(t, bus)
  const asks = [{ delayMs: 2000 }, ...calls(['c1', 'run_command', { command: 'echo yes' }])]
  const path = await script(t, asks, says('Done.'))
  const window = await openWindow(t, display, data, ['--script', path, '--folder', await folder(t)], bus)
  await showsAPage(window, 'window-notify')
  await window.key('g', 'o', 'Return')
  const status = () => ask(data, 'select status from runs')
  await until('the run to be live', async () => (await status()) === 'running')
  await window.blur()
  await until('the notification', () => desktop.said().includes('Needs approval: Run command'))
  assert.equal(await status(), 'paused')
  await window.focus()
  desktop.press()
  await until('A on the card to approve', async () => {
    await new Promise((resolve) => setTimeout(resolve, 700)) // so long the decision keys are dead on a row that just got the focus
    await window.key('a')
    return (await status()) === 'completed'
  })
})

test('a signal closes the window without a question', async (t) => {
  const display = await xserver(t)
  const window = await openWindow(t, display, await folder(t))
  await showsAPage(window, 'window-signal')
  process.kill(window.pid, 'SIGTERM')
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})
