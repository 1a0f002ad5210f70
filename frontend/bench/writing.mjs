// A call whose arguments a model writes in small pieces, seen by a page with its row open.
import { folder, open, script, serve, until } from '../e2e/harness.mjs'
import { row, rows, unfold } from '../e2e/thread.mjs'
import { longTasks, mainThread } from './tasks.mjs'

const lastWords = 'the very end'

/**
 * Plays so many pieces of so many bytes at a pace, all to one call or, with beside, each with a character to a second call, so
 * that no two of them become one event. Returns how long it took, how long the page's main thread was at work for it, both in
 * ms, and its long tasks.
 */
export async function writing(t, { pieces, size, perSecond, beside = false }) {
  const path = await script(t, turn(pieces, size, perSecond, beside))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const thread = await studio.api('POST', '/studio/threads', { agentName: 'workspace' })
  const page = await open(t, `${studio.address}#/t/${thread.id}`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.waitForTimeout(500)
  const worked = await mainThread(page)
  const { runId } = await studio.api('POST', '/agents/workspace/runs', { input: 'Write.', threadId: thread.id })
  const first = row(page, 'write_file', 'input').first()
  await first.waitFor()
  await unfold(first)
  const tasks = await longTasks(page)
  const before = await worked()
  const took = await lastPiece(studio, thread.id)
  const work = (await worked()) - before
  const { count, longest } = await tasks()
  await rows(page).filter({ hasText: lastWords }).first().waitFor()
  if (page.faults.length > 0) throw new Error(page.faults.join('\n'))
  await studio.api('POST', `/runs/${runId}/cancel`)
  await page.context().close()
  await studio.stop()
  return { took, work, count, longest }
}

/** A turn that writes and then waits: its calls do not end. */
function turn(pieces, size, perSecond, beside) {
  const input = (toolCallId, more) => ({ toolInput: { toolCallId, ...more } })
  const start = (id) => input(id, { type: 'start', toolName: 'write_file' })
  const delta = (id, text) => input(id, { type: 'delta', delta: text })
  const chunks = [start('c1'), delta('c1', '{"path":"a.txt","content":"')]
  if (beside) chunks.push(start('c2'), delta('c2', '{"path":"b.txt","content":"'))
  const every = perSecond / 100
  for (let n = 1; n <= pieces; n++) {
    chunks.push(delta('c1', `${`piece ${n} `.padEnd(size - 2, '.')}\\n`))
    if (beside) chunks.push(delta('c2', 'x'))
    if (n % every === 0) chunks.push({ delayMs: 9 }) // and about a millisecond for the pieces
  }
  return [...chunks, delta('c1', lastWords), { delayMs: 600_000 }, { finishReason: 'stop' }]
}

/** Waits until a thread's run has had no event for a second, and returns how many ms it took to its last. */
async function lastPiece(studio, threadId) {
  const began = performance.now()
  let [at, last] = [began, 0]
  const still = async () => {
    const [run] = (await studio.api('GET', `/threads/${threadId}/runs`)).runs
    if (run.last !== last) [at, last] = [performance.now(), run.last]
    return performance.now() - at > 1000
  }
  await until('the last piece', still, 180_000)
  return at - began
}
