// The real window on an X server without a screen: opened, driven by its keyboard, and judged by its picture and its database.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd, command, environment, folder, program, results, until as wait } from './harness.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A window on a busy machine takes its time. */
export const until = (what, check) => wait(what, check, 90_000)

/** Ends a process and waits until it has gone: an X server that is going takes the socket of the next one of its number along. */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await gone
}

/**
 * Starts an X server and returns its number. It does not begin anew when its last client leaves: while it did, the next one,
 * such as a window that opens beside an xdotool that ends, would be turned away.
 */
export async function xserver(t, size = '1400x900') {
  const args = ['-displayfd', '3', '-noreset', '-screen', '0', `${size}x24`, '-nolisten', 'tcp']
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let number = ''
  let log = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => (number += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  atEnd(t, () => ended(child))
  await until('the X server', () => {
    assert.equal(child.exitCode, null, `the X server ended: ${log}`)
    return number.includes('\n')
  })
  return number.trim()
}

/** Starts a message bus of a session and returns the environment that leads to it. */
export async function sessionBus(t) {
  const child = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'])
  let address = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (address += text))
  atEnd(t, () => ended(child))
  await until('the message bus', () => address.includes('\n'))
  return { DBUS_SESSION_BUS_ADDRESS: address.trim() }
}

/** Starts the notifications of a session: returns what they said, and a function that presses the last one. */
export async function notifications(t, bus) {
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
export async function openWindow(t, display, data, args = [], bus = {}, path = program) {
  const home = await folder(t)
  const env = environment({ DISPLAY: `:${display}`, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: '1', ...bus })
  const child = spawn(path, ['--data', data, ...args], { env })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  let end
  child.on('close', (status, signal) => (end = { status, signal }))
  atEnd(t, async () => {
    child.kill('SIGKILL')
    await until('the window to be gone', () => child.exitCode !== null || child.signalCode !== null)
  })
  const xdotool = async (...each) => (await command('xdotool', each, env)).stdout.trim()
  const id = await until('the window', () => xdotool('search', '--onlyvisible', '--name', '^Callboard$')).catch(
    (cause) => {
      throw new Error(`${cause.message}, which said: ${log}`, { cause })
    },
  )
  await until('the window to have the keyboard', async () => {
    await xdotool('windowfocus', id)
    return (await xdotool('getwindowfocus', '-f')) === id
  })
  return {
    id: Number(id),
    pid: child.pid,
    env,
    /** How the program ended, once it has. */
    get exited() {
      return until('the window to close', () => end)
    },
    log: () => log,
    /** Runs a command of xdotool and returns what it prints. */
    command: (...each) => xdotool(...each.map(String)),
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
export async function picture(window, name, env) {
  await mkdir(results, { recursive: true })
  const path = join(results, `${name}.png`)
  await command('import', ['-window', window, path], env)
  const { stdout } = await command('convert', [path, '-format', '%k %[fx:standard_deviation] %#', 'info:'], env)
  const [colours, spread, hash] = stdout.split(' ')
  return { colours: Number(colours), spread: Number(spread), hash }
}

/** Whether a picture shows a page: text has many shades, an empty window one or few. */
export const shows = ({ colours, spread }) => colours > 200 && spread > 0.02

/** So many pixels differ between two pictures of a page that stands still: an age that counts on, or a caret, not a line that moved. */
const flicker = 1500

/** How many pixels differ between two pictures; infinite where there is none, or where they have not one size. */
async function difference(one, other) {
  const { status, stderr } = await command('compare', ['-metric', 'AE', one, other, 'null:'])
  return status > 1 ? Number.POSITIVE_INFINITY : Number(stderr.trim().split(/\s/)[0])
}

/** Waits until the window shows a page that stands still. */
export async function showsAPage(window, name) {
  const now = join(results, `${name}.png`)
  const before = join(results, `${name}-before.png`)
  await rm(before, { force: true })
  await until('the window to show a page', async () => {
    if (!shows(await window.picture(name))) return false
    const still = (await difference(before, now)) <= flicker
    await rename(now, before)
    return still
  })
  await rename(before, now)
}

/** Whether the window looks now as it did in another picture. */
export async function looksLike(window, name, other) {
  await window.picture(name)
  return (await difference(join(results, `${other}.png`), join(results, `${name}.png`))) <= flicker
}

/** Whether a dialog lies over the page of another picture: behind it nearly every pixel is darker. */
export async function isBehindADialog(window, name, other) {
  await window.picture(name)
  return (await difference(join(results, `${other}.png`), join(results, `${name}.png`))) > 300_000
}

/** Asks the window's database, beside the program that has it open. */
export async function ask(data, sql) {
  const { stdout, stderr, status } = await command('sqlite3', ['-readonly', join(data, 'callboard.db'), sql])
  assert.equal(status, 0, stderr)
  return stdout.trim()
}
