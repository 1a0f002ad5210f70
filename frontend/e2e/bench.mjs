// How fast Chromium folds events and the page opens large threads, printed as Go prints its benchmarks; `make bench` puts both in one table.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  calls,
  closeBrowser,
  command,
  folder,
  linesOf,
  open,
  says,
  script,
  serve,
  settled,
  start,
  until,
} from './harness.mjs'
import { opens } from './thread.mjs'

const times = 3

/** A turn whose calls come in pairs with their pieces mixed, so that no two pieces become one event. */
function mixed(turn, pairs, pieces) {
  const chunks = []
  const done = []
  for (let pair = 0; pair < pairs; pair++) {
    const ids = [`c${pair}a`, `c${pair}b`]
    const text = ids.map((id) => JSON.stringify({ pattern: `${id} of ${turn} `.padEnd(pieces * 4, 'x') }))
    const input = (at, more) => chunks.push({ toolInput: { toolCallId: ids[at], ...more } })
    for (const at of [0, 1]) input(at, { type: 'start', toolName: 'search_files' })
    for (let from = 0; from < text[0].length; from += 4) {
      for (const at of [0, 1]) input(at, { type: 'delta', delta: text[at].slice(from, from + 4) })
    }
    for (const at of [0, 1]) input(at, { type: 'end' })
    done.push(...ids.map((id, at) => [id, 'search_files', text[at]]))
  }
  return [...chunks, ...calls(...done)]
}

const ends = []
const t = { name: 'bench', passed: true, after: (end) => ends.push(end), diagnostic: console.error }

/** Plays a script to its end and prints how long the page takes to open the thread, the median of some tries. */
async function bench(name, turns, budgetMs) {
  const work = await folder(t)
  await writeFile(join(work, 'a.txt'), 'a\n')
  const path = await script(t, ...turns, says('All searched.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Search.', { agent: 'demo' })
  await settled(studio, run.runId, 'completed')
  const events = (await linesOf(studio, run.runId)).length
  const took = []
  for (let i = 0; i < times; i++) {
    const page = await open(t, studio.address)
    took.push(await opens(page, run.threadId, 'All searched.'))
    await page.context().close()
  }
  took.sort((a, b) => a - b)
  const median = took[Math.floor(times / 2)]
  const ratio = budgetMs ? ` ${(median / budgetMs).toFixed(3)} of-budget` : ''
  console.log(`BenchmarkPage/${name} ${times} ${median.toFixed(0)} ms ${events} events${ratio}`)
}

/** Folds in Chromium what frontend/bench folds, and prints it. */
async function fold() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const built = await command(join(root, 'node_modules/.bin/vite'), [
    'build',
    '--logLevel',
    'warn',
    '-c',
    join(root, 'bench/vite.config.ts'),
  ])
  if (built.status !== 0) throw new Error(`build the fold's benchmark: ${built.stderr}`)
  const page = await open(t, 'about:blank')
  await page.addScriptTag({ path: join(root, 'node_modules/.bench/main.js'), type: 'module' })
  const text = await until('the fold', () => page.evaluate(() => document.body?.innerText), 60_000)
  for (const [, name, ms, ratio] of text.matchAll(/^(.+): (\d+) ms \(.*ratio ([\d.]+)\)$/gm)) {
    console.log(`BenchmarkFold/${name.replaceAll(' ', '_')} 1 ${ms} ms ${ratio} of-budget`)
  }
}

try {
  const many = (turn) =>
    calls(...Array.from({ length: 102 }, (_, i) => [`c${i}`, 'search_files', { pattern: `${turn} ${i}` }]))
  await fold()
  await bench(
    'open_10000_calls',
    Array.from({ length: 99 }, (_, turn) => many(turn)),
    1000,
  )
  await bench(
    'open_100000_events',
    Array.from({ length: 99 }, (_, turn) => mixed(turn, 10, 44)),
  )
} finally {
  for (const end of ends.reverse()) await end()
  await closeBrowser()
}
