// What a step of playback costs in Chromium, in a run of 100,000 events: all the main thread does for it, from the press to the
// painted frame; a mean each.
import { folder, open, says, script, serve, settled, start } from '../e2e/harness.mjs'
import { report } from './report.mjs'
import { mainThread } from './tasks.mjs'

const budgetMs = 16
const events = 100_000

/** The answer of GET /runs/{id}/events: 10,000 calls with their text, their arguments in pieces and their progress. */
function storedAnswer(runId, threadId) {
  const lines = []
  const add = (event) => lines.push(JSON.stringify({ seq: lines.length + 1, ...event }))
  add({ type: 'start', at: 1_790_000_000_000, messageId: 'm1', threadId, runId, agentName: 'demo' })
  for (let i = 0; lines.length < events - 1; i++) {
    const at = 1_790_000_000_000 + i
    const id = `call_${String(i).padStart(6, '0')}`
    const presentation = { label: i % 3 === 0 ? 'Read file' : 'Search files', icon: 'file-text', detail: `src/${i}.go` }
    add({ type: 'turn', at, turn: i + 1, phase: 'start', agentName: 'demo', model: 'scripted' })
    add({ type: 'tool-call-start', at, id, toolName: 'read_file', presentation })
    add({ type: 'tool-call-delta', at, id, argsTextDelta: '{"path":"src/some' })
    add({ type: 'tool-call-delta', at, id, argsTextDelta: '/folder/file.go"}' })
    add({ type: 'tool-call-end', at, id })
    add({ type: 'turn', at, turn: i + 1, phase: 'end', finishReason: 'tool_calls' })
    add({ type: 'call-state', at, toolCallId: id, state: 'running' })
    add({ type: 'tool-update', at, toolCallId: id, content: 'reading' })
    add({ type: 'tool-result', at, id: `e${id}`, toolCallId: id, result: { content: 'line of text\n'.repeat(12) } })
    add({ type: 'text-delta', at, id: `p${i}`, delta: 'Now the **next** one, which is' })
  }
  lines.length = events - 1
  add({ type: 'finish', at: 1_790_000_099_999, messageId: 'm1', threadId, status: 'completed' })
  return `{"events":[\n${lines.join(',\n')}\n],"last":${lines.length},"status":"completed"}`
}

/** Counts the frames that were painted after a press of a key or button; painted resolves once there were so many. */
function watch() {
  let frames = 0
  let wake = () => undefined
  window.painted = async (many) => {
    while (frames < many) await new Promise((resolve) => (wake = resolve))
    frames = 0
  }
  const press = (event) =>
    event.key !== 'Shift' &&
    requestAnimationFrame(() => {
      const after = new MessageChannel()
      after.port1.onmessage = () => {
        frames++
        wake()
      }
      after.port2.postMessage(0)
    })
  addEventListener('keydown', press, true)
  addEventListener('pointerdown', press, true)
}

export async function bench(t) {
  const studio = await serve(t, { args: ['--script', await script(t, says('Hi.')), '--folder', await folder(t)] })
  const run = await start(studio, 'Hi.')
  await settled(studio, run.runId, 'completed')
  const answer = storedAnswer(run.runId, run.threadId)
  const page = await open(t, studio.address)
  page.setDefaultTimeout(120_000)
  await page.route(`**/api/runs/${run.runId}/events?*`, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'))
    const none = `{"events":[],"last":${events},"status":"completed"}`
    return route.fulfill({ contentType: 'application/json', body: after === 0 ? answer : none })
  })
  const opened = Date.now()
  await page.evaluate((hash) => (location.hash = hash), `#/t/${run.threadId}/r/${run.runId}/e/${events - 1}`)
  const slider = page.getByRole('slider', { name: 'Event' })
  await slider.waitFor()
  await page.getByText('event 99,999 of 100,000').waitFor()
  report('playback_open', 1, [Date.now() - opened, 'ms'], [events, 'events'])
  await page.evaluate(watch)
  const worked = await mainThread(page)
  const measure = async (name, times, press, budget) => {
    await page.waitForTimeout(1000)
    await page.evaluate(() => window.painted(0))
    const before = await worked()
    for (let i = 0; i < times; i++) {
      await press()
      await page.evaluate(() => window.painted(1))
    }
    report(`playback_${name}`, times, [((await worked()) - before) / times, 'ms', budget])
  }
  const box = await slider.boundingBox()
  let seed = 7
  const anywhere = async () => {
    seed = (seed * 16_807) % 2_147_483_647
    await page.mouse.click(box.x + 2 + (seed / 2_147_483_647) * (box.width - 4), box.y + box.height / 2)
  }
  const steps = async (where) => {
    await slider.focus()
    await measure(`back_at_99999${where}`, 200, () => page.keyboard.press('ArrowLeft'), budgetMs)
    await measure(`forward_at_99999${where}`, 200, () => page.keyboard.press('ArrowRight'), budgetMs)
    await measure(`back_by_100${where}`, 50, () => page.keyboard.press('Shift+ArrowLeft'))
    await measure(`random${where}`, 50, anywhere)
    await page.keyboard.press('End')
  }
  await page.keyboard.press('Control+i')
  await steps('')
  await page.keyboard.press('Control+i')
  await steps('_beside_inspector')
  if (page.faults.length > 0) throw new Error(page.faults.join('\n'))
}
