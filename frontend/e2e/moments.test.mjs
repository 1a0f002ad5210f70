import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { gate } from './gate.mjs'
import { closeBrowser, linesOf, open, patience, serve, settled, start, until } from './harness.mjs'
import { rowsShown, shown } from './thread.mjs'

after(closeBrowser)

/** Long after every golden log: what counts from an event to now stands still. */
const now = Date.UTC(2030, 0, 1)

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

/** Waits until the page has drawn all that the gate lets through, the calls inside of others too, and returns it. */
async function look(page, through, parents = []) {
  const rows = await page.evaluate(
    ([last, ids, ms]) => window.look(last, ids, ms),
    [through.count(), parents, patience],
  )
  if (rows) return rows
  throw new Error(`waited ${patience / 1000} s for the page to read ${through.count()} events and to stand still`)
}

/**
 * In the page, where no frame is missed and none is asked for over a wire: waits until it has read the given number of events and
 * two frames show the same, all of it laid out, and returns that; after so many ms nothing.
 */
async function lookInside(last, parents, ms) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isDrawn = () => {
    // The list hides its rows until it has laid out every one.
    const rows = [...document.querySelectorAll('[role=feed] [role=article]')]
    const total = Number(rows[0]?.ariaSetSize ?? 0)
    return rows.length === total && rows.every((row) => row.checkVisibility({ visibilityProperty: true }))
  }
  // Which calls with others inside are open is the reader's, not the log's: one that opened by itself stays open for who watched
  // it, and is closed for who comes later.
  const unfold = () => {
    for (const id of parents) {
      const toggle = document.querySelector(`[data-call-id="${id}"] [aria-expanded]`)
      if (toggle?.ariaExpanded === 'false') toggle.click()
    }
  }
  const end = performance.now() + ms
  const late = new Promise((resolve) => setTimeout(resolve, ms, 'late'))
  while (window.readUpTo !== last) {
    if ((await Promise.race([window.reading, late])) === 'late') return undefined
  }
  for (let before; performance.now() < end; ) {
    unfold()
    await frame()
    const rows = window.rowsShown()
    const now = JSON.stringify(rows)
    if (now === before && isDrawn()) return rows
    before = now
  }
  return undefined
}

/** In the page: notes up to which event it has read, once its own code has had the answer. */
function noteReading() {
  const real = window.fetch
  let ring
  const next = () => {
    window.reading = new Promise((resolve) => (ring = resolve))
  }
  next()
  window.fetch = async (...args) => {
    const response = await real(...args)
    if (!/\/runs\/[^/]+\/events\?/.test(response.url)) return response
    const text = response.text.bind(response)
    response.text = async () => {
      const body = await text()
      setTimeout(() => {
        window.readUpTo = Number(/"last":(\d+)[^\]]*$/.exec(body)?.[1])
        ring()
        next()
      })
      return body
    }
    return response
  }
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

/** A page on a gate, tall enough for every row, with a clock that stands still and nothing that turns: frames cost time. */
async function watch(t, through) {
  const page = await open(t, 'about:blank', { height: 6000, reducedMotion: 'reduce' })
  await page.clock.setFixedTime(now)
  await page.addInitScript(noteReading)
  await page.addInitScript(`window.rowsShown = ${rowsShown}; window.look = ${lookInside}`)
  await page.goto(through.address)
  return page
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
