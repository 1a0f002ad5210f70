// The real window, on an X server without a screen, driven by its keyboard and judged by its picture.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { atEnd, command, environment, folder, program, results, serve, until } from './harness.mjs'
import { closeWindow } from './x11.mjs'

/** Starts an X server and returns its number. */
async function xserver(t) {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let number = ''
  let log = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => (number += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  atEnd(t, () => child.kill())
  await until(`the X server: ${log}`, () => number.includes('\n'))
  return number.trim()
}

/** Opens the program's window on an X server. */
async function openWindow(t, display, data, args = []) {
  const home = await folder(t)
  const env = environment({ DISPLAY: `:${display}`, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: '1' })
  const child = spawn(program, ['--data', data, ...args], { env })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  const exited = new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal })))
  atEnd(t, () => child.kill('SIGKILL'))
  const xdotool = async (...each) => (await command('xdotool', each, env)).stdout.trim()
  const id = await until('the window', () => xdotool('search', '--onlyvisible', '--name', '^Callboard$'))
  await xdotool('windowfocus', id)
  return {
    id: Number(id),
    pid: child.pid,
    exited,
    log: () => log,
    key: (...keys) => xdotool('key', '--delay', '60', ...keys),
    /** Saves a picture of the window under test-results and returns how many colours it has and how they spread. */
    async picture(name) {
      await mkdir(results, { recursive: true })
      const path = join(results, `${name}.png`)
      await command('import', ['-window', id, path], env)
      const { stdout } = await command('convert', [path, '-format', '%k %[fx:standard_deviation]', 'info:'], env)
      const [colours, spread] = stdout.split(' ').map(Number)
      return { colours, spread }
    },
  }
}

/** Whether a picture shows a page: text has many shades, an empty window one or few. */
const shows = ({ colours, spread }) => colours > 200 && spread > 0.02

/** Asks the window's database, beside the program that has it open. */
async function ask(data, sql) {
  const { stdout, stderr, status } = await command('sqlite3', ['-readonly', join(data, 'callboard.db'), sql])
  assert.equal(status, 0, stderr)
  return stdout.trim()
}

test('the window plays the demo: message, approval, end, and closes with 0', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const window = await openWindow(t, display, data)
  await until('the page to show something', async () => shows(await window.picture('window-start')), 30_000)

  await window.key('Return')
  await until(
    'the run to wait for its approval',
    async () => (await ask(data, 'select status from runs')) === 'paused',
    60_000,
  )
  await until('the approval on the screen', async () => shows(await window.picture('window-waiting')))
  await window.key('shift+Tab', 'a')
  await until('the run to complete', async () => (await ask(data, 'select status from runs')) === 'completed', 30_000)
  assert.ok(shows(await window.picture('window-done')))

  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())

  const studio = await serve(t, { data })
  const [thread] = (await studio.api('GET', '/threads')).threads
  assert.equal(thread.status, 'completed')
  const { folder: sample } = await studio.api('GET', `/studio/threads/${thread.id}`)
  assert.ok((await readFile(join(sample, 'dist/staging/RELEASE'), 'utf8')).length > 0, 'the approved command ran')
})

test('a data folder that another program has open is told in the window, and it ends with 1', async (t) => {
  const display = await xserver(t)
  const studio = await serve(t)
  const window = await openWindow(t, display, studio.dir)
  await until('the page to say so', async () => (await window.picture('window-in-use')).colours > 20, 30_000)
  await closeWindow(display, window.id)
  assert.equal((await window.exited).status, 1)
  assert.match(window.log(), /another|in use|open/)
})

test('a signal closes the window without a question', async (t) => {
  const display = await xserver(t)
  const window = await openWindow(t, display, await folder(t))
  await until('the page to show something', async () => shows(await window.picture('window-signal')), 30_000)
  process.kill(window.pid, 'SIGTERM')
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})
