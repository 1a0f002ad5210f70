// Whether the window stays awake while a model writes the arguments of a call at 2,000 pieces a second.
import { folder, open, script, serve, until } from '../e2e/harness.mjs'
import { row, rows } from '../e2e/thread.mjs'
import { report } from './report.mjs'
import { longTaskMs, longTasks, mainThread } from './tasks.mjs'
import { written } from './threads.mjs'

const pieces = 10_000
const perSecond = 2000
/** The best of so many tries counts: what else the machine does only makes tasks longer. */
const tries = 3

export async function bench(t) {
  await live(t, 'one_call', 1)
  await live(t, 'two_calls_by_turns', 2)
}

async function live(t, name, calls) {
  let best
  for (let i = 0; i < tries && best?.count !== 0; i++) {
    const measured = await writing(t, calls)
    if (!best || measured.longest < best.longest) best = measured
  }
  report(
    `live_${name}`,
    tries,
    [best.rate, 'pieces/s'],
    [best.count, 'long-tasks'],
    [best.longest, 'ms-longest', longTaskMs],
    [best.busy, 'ms-at-work/s'],
  )
}

async function writing(t, calls) {
  const path = await script(t, written({ calls, pieces, size: 16, perSecond }))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const thread = await studio.api('POST', '/studio/threads', { agentName: 'workspace' })
  const page = await open(t, `${studio.address}#/t/${thread.id}`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.waitForTimeout(500)
  const { runId } = await studio.api('POST', '/agents/workspace/runs', { input: 'Write.', threadId: thread.id })
  await row(page, 'write_file', 'input').first().waitFor()
  const worked = await mainThread(page)
  const before = await worked()
  const tasks = await longTasks(page)
  const seconds = await stoodStill(studio, thread.id)
  const measured = { ...(await tasks()), rate: Math.round(pieces / seconds), busy: ((await worked()) - before) / seconds }
  await rows(page).filter({ hasText: 'the very end' }).last().waitFor()
  await studio.api('POST', `/runs/${runId}/cancel`)
  await page.context().close()
  await studio.stop()
  return measured
}

/** Waits until a thread's run has had no event for a while, and returns how many seconds it took to its last. */
async function stoodStill(studio, threadId) {
  const began = performance.now()
  let [at, last] = [began, 0]
  await until('the last piece', async () => {
    const [run] = (await studio.api('GET', `/threads/${threadId}/runs`)).runs
    if (run.last !== last) [at, last] = [performance.now(), run.last]
    return performance.now() - at > 1000
  })
  return (at - began) / 1000
}
