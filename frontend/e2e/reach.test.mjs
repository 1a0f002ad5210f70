// What is asked for is on the screen, and can be pressed there.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { putForward } from './clock.mjs'
import { doneCall, logOf } from './gallery.mjs'
import { gate } from './gate.mjs'
import { closeBrowser, open, serve, until } from './harness.mjs'
import { button, row, rows, standsStill } from './thread.mjs'

after(closeBrowser)

/** A page on a thread whose one run has these events. */
async function shown(t, events, size) {
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const lines = logOf(events)
  const door = await gate(t, studio, thread.id, lines)
  door.let(lines.length)
  const page = await open(t, door.address, size)
  await rows(page).last().waitFor()
  return page
}

const turn = (phase) => ({ type: 'turn', turn: 1, phase, agentName: 'made' })
const completed = { type: 'finish', messageId: 'm1', threadId: 't', status: 'completed' }
const many = (name, n, result) =>
  Array.from({ length: n }, (_, i) => doneCall(`${name}${i}`, `${name}_${i % 7}`, result)).flat()
const lines = (n, of) => Array.from({ length: n }, (_, i) => of(i)).join('\n')

/** Whether a text stands between the edges of the thread, under nothing else. */
const seen = (page, text) =>
  page.evaluate((wanted) => {
    const feed = document.querySelector('[role=feed]')
    const walker = document.createTreeWalker(feed, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.nodeValue.includes(wanted)) continue
      const range = new Range()
      range.selectNodeContents(node)
      const { left, top, height } = range.getBoundingClientRect()
      const there = document.elementFromPoint(left + 2, top + height / 2)
      if (there && (there.contains(node) || node.parentElement.contains(there))) return true
    }
    return false
  }, text)

test('what a search finds where it was folded away is on the screen', async (t) => {
  const text = lines(900, (i) => `line ${i} of it.`)
  const table = { columns: ['n'], rows: Array.from({ length: 900 }, (_, i) => [`cell ${i} of it.`]) }
  const tree = { list: Array.from({ length: 900 }, (_, i) => ({ inner: { leaf: `leaf ${i} of it.` } })) }
  const given = { type: 'tool-call-start', id: 'args', toolName: 'given' }
  const call = [
    given,
    {
      type: 'tool-call-delta',
      id: 'args',
      argsTextDelta: JSON.stringify({ text: lines(90, (i) => `given ${i} of it.`) }),
    },
    { type: 'tool-call-end', id: 'args' },
    { type: 'call-state', toolCallId: 'args', state: 'running' },
    { type: 'tool-result', id: 'args-r', toolCallId: 'args', result: 'ok', details: { text: 'short' } },
  ]
  const page = await shown(t, [
    turn('start'),
    ...many('above', 40),
    ...call,
    ...doneCall('t1', 'text', { details: { text } }),
    ...doneCall('t2', 'table', { details: { table } }),
    ...doneCall('t3', 'tree', { details: tree }),
    ...doneCall('t4', 'code', { details: { code: { text: lines(60, (i) => `const at${i} = ${i}`), lang: 'js' } } }),
    ...many('below', 40),
    turn('end'),
    completed,
  ])
  await page.keyboard.press('Control+f')
  for (const text of ['given 77 of', 'line 777 of', 'cell 777 of', 'leaf 777 of', 'line 3 of']) {
    await page.getByRole('textbox', { name: 'Find in thread' }).fill(text)
    await page.getByRole('search').getByText('1 of 1', { exact: true }).waitFor()
    await until(`"${text}" to be seen`, () => seen(page, text))
  }
  await page.getByRole('textbox', { name: 'Find in thread' }).fill('const at44 = 44')
  await until('code in its colours to be marked whole', () =>
    page.evaluate(() =>
      [...(CSS.highlights.get('found-here') ?? [])].some((range) => String(range) === 'const at44 = 44'),
    ),
  )
  await until('it to be seen', () => seen(page, 'at44'))
  assert.deepEqual(page.faults, [])
})

test('a press right after the thread was scrolled up by a jump reaches its row', async (t) => {
  const page = await shown(t, [turn('start'), ...many('tool', 400), turn('end'), completed])
  await row(page, 'tool_0').last().waitFor()
  for (let i = 0; i < 5; i++) {
    const hit = await page.evaluate(async () => {
      const feed = document.querySelector('[role=feed]')
      feed.scrollBy(0, -1500)
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const { left, top, width, height } = feed.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role=article]') !== null
    })
    assert.ok(hit, `after jump ${i + 1}`)
  }
  assert.deepEqual(page.faults, [])
})

const asks = (toolCallId, parentToolCallId) => ({
  type: 'approval-required',
  threadId: 't',
  approvals: [
    {
      toolCallId,
      toolName: 'deploy',
      arguments: {},
      argumentsText: '{"to":"staging"}',
      argumentsHash: 'h',
      approvalId: `a-${toolCallId}`,
      kind: 'approval',
      description: 'Deploys.',
      parentToolCallId,
    },
  ],
})
const waits = (id, parentToolCallId) => [
  { type: 'tool-call-start', id, toolName: 'deploy', parentToolCallId },
  { type: 'tool-call-delta', id, argsTextDelta: '{"to":"staging"}' },
  { type: 'tool-call-end', id },
  { type: 'call-state', toolCallId: id, state: 'waiting', approvalId: `a-${id}` },
]
const paused = { type: 'finish', messageId: 'm1', threadId: 't', status: 'paused', pendingApprovals: 1 }

test('the decision above the composer covers nothing of the thread, its own row neither', async (t) => {
  const page = await shown(t, [turn('start'), ...many('tool', 60), ...waits('c1'), asks('c1'), paused], { height: 600 })
  const feed = page.getByRole('feed')
  const dock = page.getByRole('group', { name: 'Waiting: deploy' })
  await row(page, 'deploy', 'waiting').getByRole('button', { name: 'Approve' }).waitFor()
  assert.equal(await dock.count(), 0, 'its own card is on the screen')
  await feed.hover()
  await page.mouse.wheel(0, -150)
  await dock.waitFor()
  const [view, card] = [await feed.boundingBox(), await dock.boundingBox()]
  assert.ok(view.y + view.height <= card.y, 'the card stands below the thread')
  await feed.hover() // the card may stand where the pointer was
  await page.mouse.wheel(0, 5000)
  await dock.waitFor({ state: 'detached' })
  assert.deepEqual(page.faults, [])
})

test('a call whose own call waits says so, open and closed, and the decision is offered above the composer', async (t) => {
  const parent = [
    { type: 'tool-call-start', id: 'p', toolName: 'delegate' },
    { type: 'tool-call-delta', id: 'p', argsTextDelta: '{}' },
    { type: 'tool-call-end', id: 'p' },
    { type: 'call-state', toolCallId: 'p', state: 'running' },
  ]
  const page = await shown(t, [turn('start'), ...parent, ...waits('c', 'p'), asks('c', 'p'), paused])
  const line = row(page, 'delegate').locator('[data-line]')
  await line.getByText('1 needs approval').waitFor()
  await row(page, 'deploy', 'waiting').getByRole('button', { name: 'Approve' }).waitFor()
  await line.locator('[aria-expanded]').first().click()
  await row(page, 'deploy').waitFor({ state: 'detached' })
  await line.getByText('1 needs approval').waitFor()
  await page.getByRole('group', { name: 'Waiting: deploy' }).waitFor()
  await button(page, 'Show in thread').click()
  await row(page, 'deploy', 'waiting').getByRole('button', { name: 'Approve' }).waitFor()
  await page.getByRole('group', { name: 'Waiting: deploy' }).waitFor({ state: 'detached' })
  assert.deepEqual(page.faults, [])
})

test('playback brings the row an event touched into view, unless the reader scrolled away from it', async (t) => {
  const slow = doneCall('slow', 'slow')
  const page = await shown(t, [
    turn('start'),
    ...slow.slice(0, 4),
    ...many('tool', 60),
    slow[4],
    ...many('more', 3),
    turn('end'),
    completed,
  ])
  const feed = page.getByRole('feed')
  const inView = (locator) =>
    locator.evaluate((element) => {
      const box = element.closest('[role=feed]').getBoundingClientRect()
      const { top, bottom } = element.getBoundingClientRect()
      return top >= box.top - 1 && bottom <= box.bottom + 1
    })
  const at = (seq) => page.getByRole('region', { name: 'Playback' }).getByText(`event ${seq} of `).waitFor()
  const result = 1 + 1 + 4 + 60 * 5 + 1
  await button(page, 'Play back (P)').click()
  await until('the address to say where it stands', () => page.url().includes('/e/'))
  await page.evaluate((seq) => (location.hash = location.hash.replace(/\/e\/\d+$/, `/e/${seq}`)), result - 1)
  await at(result - 1)
  await until('the last call to be seen', async () => (await row(page, 'tool_3').count()) > 0)
  await page.getByRole('slider', { name: 'Event' }).focus()
  await page.keyboard.press('ArrowRight')
  await at(result)
  await until(
    'the call far up whose result came',
    async () => (await row(page, 'slow', 'done').count()) > 0 && inView(row(page, 'slow', 'done')),
  )
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight')
  await at(result + 6)
  await until('the call at the end', async () => (await row(page, 'more_1').count()) > 0 && inView(row(page, 'more_1')))

  const back = button(page, 'To the event’s row')
  assert.equal(await back.count(), 0)
  await standsStill(page)
  await feed.hover()
  await page.mouse.wheel(0, -900)
  await back.waitFor()
  await standsStill(page)
  const top = await feed.evaluate((element) => element.scrollTop)
  await putForward(page, 1000) // so long a scroll counts as the reader's
  await page.getByRole('slider', { name: 'Event' }).focus()
  await page.keyboard.press('ArrowRight')
  await at(result + 7)
  await standsStill(page)
  assert.equal(await feed.evaluate((element) => element.scrollTop), top, 'the view stays where the reader put it')
  await back.click()
  await until('the event’s row', async () => (await row(page, 'more_1').count()) > 0 && inView(row(page, 'more_1')))
  assert.equal(await back.count(), 0)
  assert.deepEqual(page.faults, [])
})
