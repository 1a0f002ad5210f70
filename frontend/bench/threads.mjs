// The large threads the benchmarks open: a scripted model plays them to the end, with tools that really run.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calls, folder, linesOf, says, script, serve, settled, start } from '../e2e/harness.mjs'

/** The words a thread ends with. */
export const lastWords = 'All searched.'

/** Calls that are all alike: the thread folds them into one line. */
export const alike = (turns, each) =>
  Array.from({ length: turns }, (_, turn) =>
    calls(...Array.from({ length: each }, (_, i) => [`c${i}`, 'search_files', { pattern: `${turn} ${i}` }])),
  )

/** Turns that say something and then search and list by turns, so that every call has a row of its own. */
export const mixed = (turns, each) =>
  Array.from({ length: turns }, (_, turn) => [
    { text: `Part **${turn}**: I look for \`${turn}\` and what stands beside it.` },
    ...calls(
      ...Array.from({ length: each }, (_, i) =>
        i % 2 === 0
          ? [`c${i}`, 'search_files', { pattern: `nothing ${turn} ${i}` }]
          : [`c${i}`, 'list_files', { path: '.' }],
      ),
    ),
  ])

/** A turn whose calls come in pairs with their pieces mixed, so that no two pieces become one event. */
export function interleaved(turn, pairs, pieces) {
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

/** Plays turns to their end on a studio of its own, and returns it with the thread's run and how many events it has. */
export async function played(t, turns) {
  const work = await folder(t)
  await writeFile(join(work, 'a.txt'), 'a\n')
  const path = await script(t, ...turns, says(lastWords))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Search.', { agent: 'demo' })
  await settled(studio, run.runId, 'completed')
  return { studio, run, events: (await linesOf(studio, run.runId)).length }
}
