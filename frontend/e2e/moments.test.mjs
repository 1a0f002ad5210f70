import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gate } from './gate.mjs'
import { closeBrowser, linesOf, open, serve, settled, start, until } from './harness.mjs'
import { shown } from './thread.mjs'

after(closeBrowser)

/** Long after every golden log: what counts from an event to now stands still. */
const now = Date.UTC(2030, 0, 1)

const folders = ['../../backend/agent/testdata/', '../../backend/protocol/testdata/']

/** Every golden log of the project: its name and its events, a line each. */
async function goldenLogs() {
  const logs = []
  for (const folder of folders) {
    const dir = fileURLToPath(new URL(folder, import.meta.url))
    for (const name of (await readdir(dir)).filter((each) => each.endsWith('.jsonl'))) {
      const lines = (await readFile(dir + name, 'utf8')).trim().split('\n')
      logs.push({ name: basename(name, '.jsonl'), lines })
    }
  }
  return logs
}

/** Waits until the page shows all that the gate lets through, and returns it. */
async function look(page, through) {
  await until('the page to ask for what is new', through.passed)
  let before
  for (;;) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const now = await shown(page)
    if (before && JSON.stringify(before) === JSON.stringify(now)) return now
    before = now
  }
}

/** A page on a gate, tall enough for every row and with a clock that stands still. */
async function watch(t, through) {
  const page = await open(t, 'about:blank', { height: 6000 })
  await page.clock.setFixedTime(now)
  await page.goto(through.address)
  return page
}

test('at every event of every golden log a page that watched and one that opens just then show the same', async (t) => {
  const studio = await serve(t)
  for (const { name, lines } of await goldenLogs()) {
    const thread = await studio.api('POST', '/studio/threads', { agentName: 'demo' })
    const live = await gate(t, studio, thread.id, lines)
    const late = await gate(t, studio, thread.id, lines)
    const watching = await watch(t, live)
    const opening = await watch(t, late)
    for (let count = 1; count <= lines.length; count++) {
      live.let(count)
      const watched = await look(watching, live)
      late.let(count)
      await opening.reload()
      const opened = await look(opening, late)
      assert.deepEqual(watched, opened, `${name} after event ${count}: ${lines[count - 1]}`)
    }
    assert.ok((await shown(watching)).length > 0, `${name} shows rows`)
    assert.deepEqual([...watching.faults, ...opening.faults], [])
    await watching.context().close()
    await opening.context().close()
  }
})

test('renaming every tool changes only names on the screen', async (t) => {
  const studio = await serve(t)
  const run = await start(studio, 'Go.', { agent: 'demo' })
  await settled(studio, run.runId, 'paused')
  const lines = await linesOf(studio, run.runId)
  const renamed = lines.map((line) => line.replaceAll(/"toolName":"(\w+)"/g, '"toolName":"other_$1"'))
  const views = []
  for (const log of [lines, renamed]) {
    const through = await gate(t, studio, run.threadId, log)
    const page = await watch(t, through)
    through.let(log.length)
    const rows = await look(page, through)
    views.push(rows.map((row) => ({ ...row, tool: row.tool?.replace(/^other_/, '') })))
    const whole = await page.locator('[role=feed]').innerText()
    views.push(whole.replaceAll('other_', ''))
    assert.deepEqual(page.faults, [])
  }
  assert.deepEqual(views[2], views[0])
  assert.deepEqual(views[3], views[1])
})
