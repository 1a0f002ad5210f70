// How long a large thread takes from the choice to its first painted rows.
import { open } from '../e2e/harness.mjs'
import { opens } from '../e2e/thread.mjs'
import { median, report } from './report.mjs'
import { alike, interleaved, lastWords, mixed, played } from './threads.mjs'

const budgetMs = 300
const times = 5

export async function bench(t) {
  await opening(t, '10000_calls', mixed(98, 103), budgetMs)
  await opening(t, '10000_calls_alike', alike(98, 103), budgetMs)
  await opening(
    t,
    '100000_events',
    Array.from({ length: 98 }, (_, turn) => interleaved(turn, 10, 44)),
    budgetMs,
  )
}

async function opening(t, name, turns, budget) {
  const { studio, run, events } = await played(t, turns)
  const took = []
  for (let i = 0; i < times; i++) {
    const page = await open(t, studio.address)
    await page.getByRole('button', { name: 'New thread', exact: true }).first().waitFor()
    await page.waitForTimeout(300)
    took.push(await opens(page, run.threadId, lastWords))
    await page.context().close()
  }
  report(`open_${name}`, times, [median(took), 'ms', budget], [events, 'events'])
  await studio.stop()
}
