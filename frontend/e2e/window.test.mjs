// The real window, on an X server without a screen, driven by its keyboard and judged by its picture.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { calls, command, environment, folder, program, says, script, serve } from './harness.mjs'
import {
  ask,
  isBehindADialog,
  notifications,
  openWindow,
  picture,
  sessionBus,
  shows,
  showsAPage,
  until,
  xserver,
} from './window.mjs'
import { closeWindow } from './x11.mjs'

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

  await showsAPage(window, 'window-running')
  const asks = async () => {
    await closeWindow(display, window.id)
    await until('the question', () => isBehindADialog(window, 'window-quit', 'window-running'))
    await showsAPage(window, 'window-quit')
  }
  await asks()
  await window.key('Escape')
  await until('the question to go', async () => !(await isBehindADialog(window, 'window-stays', 'window-running')))
  assert.equal(await status(), 'running', 'the run goes on')

  await asks()
  await window.key('Tab', 'Return') // past Cancel, where it begins
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

test('a second program on the data folder of a window brings that to the front, ends with 0, and the window lives on', async (t) => {
  const display = await xserver(t)
  const data = await folder(t)
  const bus = await sessionBus(t)
  const window = await openWindow(t, display, data, [], bus)
  await showsAPage(window, 'window-first')
  const second = await command(program, ['--data', data], window.env)
  assert.equal(second.status, 0)
  assert.match(second.stderr, /the window that is open on .* comes to the front/)
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
  assert.equal(desktop.said(), 'ready\ngo: Needs approval: Run command\n', 'one, with the thread and the tool alone')
})

test('a signal closes the window without a question', async (t) => {
  const display = await xserver(t)
  const window = await openWindow(t, display, await folder(t))
  await showsAPage(window, 'window-signal')
  process.kill(window.pid, 'SIGTERM')
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})
