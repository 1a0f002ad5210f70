import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { gate } from './gate.mjs'
import { closeBrowser, linesOf, patience, serve, settled, start, until } from './harness.mjs'
import { shown } from './thread.mjs'
import { look, watch } from './watch.mjs'

after(closeBrowser)

/** The logs the run loop makes; what other servers may send is folded from `protocol/testdata` in both languages. */
const folders = ['../../backend/agent/testdata/']

/**
 * Every golden log that a store can hold, numbered from 1 without gaps; the others are for readers alone.
 */
async function goldenLogs() {
  const logs = []
  for (const folder of folders) {
    const dir = fileURLToPath(new URL(folder, import.meta.url))
    for (const name of (await readdir(dir)).filter((each) => each.endsWith('.jsonl'))) {
      const lines = (await readFile(dir + name, 'utf8')).trim().split('\n')
      if (lines.every(isNumbered)) logs.push({ name: basename(name, '.jsonl'), lines })
    }
  }
  return logs
}

function isNumbered(line, index) {
  if (!line.startsWith(`{"seq":${index + 1},"type":`)) return false
  try {
    return Boolean(JSON.parse(line))
  } catch {
    return false
  }
}

/**
 * After which of its events each log is looked at: the first of each kind there is in any log, every fourth and the last. At every
 * single one the fold itself is compared in `storage`, without a page.
 */
function moments(logs) {
  const kinds = new Set()
  const isNew = (line) => {
    const { type, phase, state, dropped, parentToolCallId, kind } = JSON.parse(line)
    const key = JSON.stringify([type, phase, state, dropped, parentToolCallId !== undefined, kind])
    return kinds.size < kinds.add(key).size
  }
  return logs.map(({ name, lines }) => {
    const counts = lines.map((_, index) => index + 1)
    return { name, lines, counts: counts.filter((n) => isNew(lines[n - 1]) || n % 4 === 0 || n === lines.length) }
  })
}

/** The ids of the calls that other calls are made inside of. */
function parentsIn(lines) {
  const starts = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'tool-call-start')
  return [...new Set(starts.flatMap(({ parentToolCallId }) => parentToolCallId ?? []))]
}

/** Opens another thread and then this one again: everything is read and folded anew. */
async function reopen(page, otherId) {
  const empty = await page.evaluate(
    async ([id, ms]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const here = location.hash
      const end = performance.now() + ms
      location.hash = `#/t/${id}`
      do {
        await frame()
        await frame()
        if (performance.now() > end) return false
      } while (document.querySelector('[role=feed] [role=article]'))
      window.readUpTo = undefined
      location.hash = here
      return true
    },
    [otherId, patience],
  )
  assert.ok(empty, 'the other thread is shown, which is empty')
}

/** Compares both pages after the given counts of a log's events. */
async function compare(t, studio, { name, lines, counts }) {
  const thread = await studio.api('POST', '/studio/threads', { agentName: 'demo' })
  const other = await studio.api('POST', '/studio/threads', { agentName: 'demo' })
  const live = await gate(t, studio, thread.id, lines)
  const late = await gate(t, studio, thread.id, lines)
  const parents = parentsIn(lines)
  const [watching, opening] = await Promise.all([watch(t, live), watch(t, late)])
  for (const [index, count] of counts.entries()) {
    live.let(count)
    late.let(count)
    // A whole reload takes most of a second, so it stands for the rest at every tenth look.
    await (index % 10 === 9 ? opening.reload() : reopen(opening, other.id))
    const at = `${name} after event ${count}: ${lines[count - 1]}`
    let watched
    let opened
    const both = async () => {
      ;[watched, opened] = await Promise.all([look(watching, live, parents), look(opening, late, parents)])
      return isDeepStrictEqual(watched, opened)
    }
    // A page reads a long log in steps, so what it shows may still change once.
    await until('both pages to show the same', both).catch((cause) => {
      if (isDeepStrictEqual(watched, opened)) throw new Error(`${at}: ${cause.message}`, { cause })
    })
    assert.deepEqual(watched, opened, at)
  }
  assert.ok((await shown(watching)).length > 0, `${name} shows rows`)
  assert.deepEqual([...watching.faults, ...opening.faults], [])
  await Promise.all([watching.context().close(), opening.context().close()])
}

test('at every kind of event in the golden logs, and between, a page that watched and one that opens just then show the same', async (t) => {
  const studio = await serve(t)
  const logs = await goldenLogs()
  assert.ok(logs.length > 8, `${logs.length} golden logs were found`)
  const next = moments(logs).values()
  const workers = Array.from({ length: 4 }, async () => {
    for (const log of next) await compare(t, studio, log)
  })
  await Promise.all(workers)
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
