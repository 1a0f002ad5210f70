// What is on the screen: details of every kind, calls in every state, and what must not move, grow or run.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { mainThread } from '../bench/tasks.mjs'
import { doneCall, gallery, logOf } from './gallery.mjs'
import { gate } from './gate.mjs'
import {
  calls,
  closeBrowser,
  folder,
  open,
  patience,
  picture,
  says,
  script,
  serve,
  settled,
  start,
  until,
} from './harness.mjs'
import { button, row, rows, standsStill, unfold } from './thread.mjs'
import { look, watch } from './watch.mjs'

after(closeBrowser)

/** A page on a thread whose run has the lines; the first count of them at first. */
async function show(t, lines, { count = lines.length, ...options } = {}) {
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const door = await gate(t, studio, thread.id, lines)
  door.let(count)
  const page = await open(t, door.address, options)
  await rows(page).first().waitFor()
  return { page, door }
}

/** Opens the row of a tool's one call. */
async function openTool(page, tool) {
  const line = row(page, tool)
  await unfold(line)
  return line
}

const kinds = {
  text: 'One line.',
  markdown: 'Release 1.4',
  diff: 'internal/server.go',
  table: '2512292042121000001',
  remote_image: 'not loaded',
  terminal: 'FAIL: TestPort',
  code: 'Orders of the last week',
  file: 'internal/server.go:3',
  progress: '14 of 10 files',
  json: '1e400',
  many: 'all checks passed',
  seen: 'Rings, once more.',
  hostile: '</code><script>alert(1)</script>',
}

test('details of every kind are drawn, in both themes, and nothing of them runs or is fetched', async (t) => {
  const { kinds: lines } = await gallery(t)
  for (const colorScheme of ['dark', 'light']) {
    const { page } = await show(t, lines, { colorScheme, height: 6000 }) // the list has room for every row, open too
    for (const [tool, words] of Object.entries(kinds)) {
      const line = await openTool(page, tool)
      await line.locator('section, [role=progressbar]').first().waitFor()
      await until(`${tool} to show ${words}`, async () => (await line.innerText()).includes(words))
    }
    await picture(page, `kinds-${colorScheme}`)
    const line = await openTool(page, 'image')
    const image = line.getByRole('img')
    await image.evaluate((element) => element.decode())
    const before = await image.evaluate((element) => element.clientWidth)
    await line.getByRole('button', { name: 'Rings of colour' }).click()
    await until('it in full size', () => image.evaluate((element, was) => element.clientWidth > was, before))
    assert.equal(await page.locator('script:not([src]), iframe, [role=feed] form').count(), 0)
    assert.deepEqual(page.faults, [])
  }
})

test('calls in every state stand in the thread', async (t) => {
  const { states: lines } = await gallery(t)
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const door = await gate(t, studio, thread.id, lines)
  const page = await watch(t, door)
  const seen = new Set()
  for (let count = 1; count <= lines.length; count++) {
    door.let(count)
    for (const { state } of await look(page, door)) seen.add(state)
  }
  const want = [
    'input',
    'proposed',
    'waiting',
    'approved',
    'denied',
    'expired',
    'running',
    'done',
    'failed',
    'cancelled',
    'unknown',
  ]
  assert.deepEqual(
    want.filter((state) => !seen.has(state)),
    [],
    'no row was ever in these states',
  )
  await row(page, 'run_command', 'waiting').getByRole('button', { name: 'Approve' }).waitFor()
  await picture(page, 'states')
  assert.deepEqual(page.faults, [])
})

test('the calls of a call stand in it', async (t) => {
  const { inside: lines } = await gallery(t)
  const { page } = await show(t, lines, { height: 2400 })
  const child = row(page, 'upload', 'waiting')
  await child.getByRole('button', { name: 'Approve' }).waitFor()
  const order = await page.$$eval('[data-call-id]', (all) =>
    all.sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map((each) => each.dataset.tool),
  )
  assert.deepEqual(order, ['release', 'build', 'sign', 'upload'])

  // Closed with its parent, it is docked, and leads back.
  await row(page, 'release').locator('[aria-expanded]').first().click()
  await child.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 700 })
  await page.mouse.move(400, 300)
  await until('the dock, once the rows that wait are out of sight', async () => {
    await page.mouse.wheel(0, -2000)
    return await button(page, 'Show in thread').isVisible()
  })
  await button(page, 'Show in thread').click()
  await child.waitFor()
  assert.deepEqual(page.faults, [])
})

test('an answer as JSON is shown once, as structured output, at its end, in the inspector and played back', async (t) => {
  const { structured: lines } = await gallery(t)
  const { page, door } = await show(t, lines, { count: lines.length - 1 })
  const feed = page.getByRole('feed')
  await feed.getByText('2512292042121000001').waitFor()
  assert.equal(await page.getByRole('group', { name: 'Structured output' }).count(), 0)
  door.let(lines.length)
  const block = feed.getByRole('group', { name: 'Structured output' })
  await block.getByText('2512292042121000001').waitFor()
  assert.equal(await feed.getByText('2512292042121000001').count(), 1)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await block.getByRole('button', { name: 'Copy' }).click()
  const text = '{"id":2512292042121000001,"city":"Oslo","days":3,"stops":["the opera\'s roof","the fjord"]}'
  await until('the clipboard', async () => (await page.evaluate(() => navigator.clipboard.readText())) === text)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.getByRole('tabpanel').getByRole('group', { name: 'Structured output' }).getByText('"Oslo"').waitFor()
  await page.goto(`${door.address}/r/${JSON.parse(lines[0]).runId}/e/${lines.length}`)
  await page.getByRole('slider').waitFor()
  await block.getByText('2512292042121000001').waitFor()
  await page.getByRole('slider').focus()
  await page.keyboard.press('ArrowLeft')
  await block.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await block.waitFor()
  assert.deepEqual(page.faults, [])
})

test('scrolled up, 500 events later the first visible row has not moved, and a pill counts what is new', async (t) => {
  const before = Array.from({ length: 60 }, (_, i) => doneCall(`a${i}`, `tool_${i % 5}`)).flat()
  const later = Array.from({ length: 100 }, (_, i) =>
    doneCall(`b${i}`, `tool_${i % 5}`, i % 9 === 0 ? { error: 'no' } : {}),
  ).flat()
  const text = Array.from({ length: 30 }, (_, i) => ({ type: 'text-delta', id: 'x', delta: `Word ${i}.\n\n` }))
  const lines = logOf([{ type: 'message', messageId: 'u', role: 'user', content: 'Go.' }, ...before, ...text, ...later])
  const first = before.length + 2
  const { page, door } = await show(t, lines, { count: first })
  await row(page, 'tool_4').last().waitFor()
  await page.mouse.move(400, 400)
  await page.mouse.wheel(0, -600)
  await button(page, 'To the end').waitFor()
  await standsStill(page)
  // In the page, where no frame is missed.
  await page.evaluate(() => {
    const feed = document.querySelector('[role=feed]')
    const { top } = feed.getBoundingClientRect()
    const all = [...feed.querySelectorAll('[role=article]')].map((row) => [row, row.getBoundingClientRect()])
    const [first, was] = all.filter(([, box]) => box.bottom > top + 1).sort((a, b) => a[1].top - b[1].top)[0]
    window.worst = 0
    const look = () => {
      const now = document.querySelector(`[data-key="${first.dataset.key}"]`)?.getBoundingClientRect().top
      window.worst = Math.max(window.worst, Math.abs((now ?? Number.POSITIVE_INFINITY) - was.top))
      requestAnimationFrame(look)
    }
    look()
  })
  const frame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve())))
  for (let count = first; count < lines.length; count += 10) {
    door.let(count)
    await frame()
  }
  door.let(lines.length)
  const pill = page.getByRole('button', { name: '101 new' }) // the answer and 100 calls
  await pill.waitFor()
  await standsStill(page)
  const worst = await page.evaluate(() => window.worst)
  console.log(
    `      ${lines.length - first} events later the first visible row has moved by ${worst} px; the pill says ${await pill.innerText()}`,
  )
  assert.ok(worst <= 1, `it moved by ${worst} px`)
  await pill.click()
  await rows(page).last().waitFor()
  await until('the end', () =>
    page.evaluate(() => {
      const feed = document.querySelector('[role=feed]')
      return feed.scrollHeight - feed.scrollTop - feed.clientHeight < 10
    }),
  )
  assert.deepEqual(page.faults, [])
})

test('what was opened stays open, while 50 events come and after it was scrolled away', async (t) => {
  const blocks = {
    details: { text: 'First', json: { a: 1 }, terminal: Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n') },
  }
  const many = Array.from({ length: 80 }, (_, i) => doneCall(`b${i}`, `tool_${i % 3}`)).flat()
  const lines = logOf([...doneCall('a', 'blocks', blocks), ...many])
  const { page, door } = await show(t, lines, { count: 6 })
  const line = row(page, 'blocks')
  await unfold(line)
  await line.getByRole('button', { name: 'Show all 40 lines' }).click()
  await line.locator('[data-block=Text]').getByRole('button', { name: 'Raw' }).click()
  const open = async () => {
    assert.ok((await line.innerText()).includes('line 39'))
    assert.equal(await line.locator('[data-block=Text]').getByRole('button', { name: 'Show as drawn' }).count(), 1)
  }
  const done = (id) => page.locator(`[data-call-id=${id}][data-state=done]`)
  for (let calls = 0; calls < 10; calls++) {
    for (let event = 1; event <= 5; event++) door.let(6 + calls * 5 + event)
    await done(`b${calls}`).waitFor()
  }
  await open()
  door.let(lines.length)
  await until('the last call', async () => {
    await page.evaluate(() => document.querySelector('[role=feed]').scrollTo(0, 1e6))
    return (await done('b79').count()) === 1
  })
  // The row that is worked with stays in the page.
  await done('b79').locator('[aria-expanded]').first().click()
  await line.waitFor({ state: 'detached' })
  await page.evaluate(() => document.querySelector('[role=feed]').scrollTo(0, 0))
  await line.waitFor()
  await open()
  assert.deepEqual(page.faults, [])
})

/** Presses what opens a row and returns the ms until the words are drawn, and how many nodes the row then has. */
function timed(page, tool, words) {
  return page.evaluate(
    async ([name, text, patience]) => {
      const article = document.querySelector(`[data-tool="${name}"]`)
      const begin = performance.now()
      article.querySelector('[aria-expanded]').click()
      while (!article.innerText.includes(text)) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
        if (performance.now() - begin > patience) throw new Error(`${name} does not show ${text}`)
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      return { ms: performance.now() - begin, nodes: article.querySelectorAll('*').length }
    },
    [tool, words, patience],
  )
}

test('large results open at once: 1 MB of JSON, 200 KB of text, a table of 5,000 rows, an image of 2 MB', async (t) => {
  const records = Array.from({ length: 13_000 }, (_, i) => ({
    id: i,
    name: `record ${i}`,
    tags: ['a', 'b'],
    at: { deep: { er: i } },
  }))
  const rows5000 = Array.from({ length: 5000 }, (_, i) => [i, `name ${i}`, i * 1.5])
  const noise = Buffer.alloc(1_500_000, (i) => (i * 7919) % 251).toString('base64')
  const lines = logOf([
    ...doneCall('json', 'json', { result: { records } }),
    ...doneCall('text', 'text', { result: 'word '.repeat(40_000) }),
    ...doneCall('lines', 'lines', { result: 'a line\n'.repeat(30_000) }),
    ...doneCall('table', 'table', { details: { table: { columns: ['n', 'name', 'x'], rows: rows5000 } } }),
    ...doneCall('image', 'image', {
      details: { image: { src: `data:image/png;base64,${noise}`, mediaType: 'image/png', alt: 'noise' } },
    }),
    { type: 'finish', status: 'completed' },
  ])
  const { page } = await show(t, lines, { height: 1600 })
  await row(page, 'image').waitFor()
  const opened = { json: 'records', text: 'word word', lines: 'a line', table: 'name 11', image: 'MB' }
  const atWork = await mainThread(page)
  for (const [tool, words] of Object.entries(opened)) {
    const before = await atWork()
    const { ms, nodes } = await timed(page, tool, words)
    const work = (await atWork()) - before
    console.log(`      ${tool} opens in ${Math.round(ms)} ms, ${Math.round(work)} of them at work, with ${nodes} nodes`)
    assert.ok(nodes < 5000, `${tool} has ${nodes} nodes`)
    assert.ok(work < 1000, `${tool} was at work for ${work} ms`)
    await row(page, tool).locator('[aria-expanded]').first().click()
  }
  await row(page, 'json').locator('[aria-expanded]').first().click()
  const begin = Date.now()
  await row(page, 'json').getByRole('button', { name: '"records" 13,000 items' }).click()
  await row(page, 'json')
    .getByRole('button', { name: /^Show all/ })
    .click()
  await row(page, 'json').getByText('"record 0"').first().waitFor()
  console.log(`      its 13,000 items open in ${Date.now() - begin} ms`)
  assert.ok((await row(page, 'json').locator('*').count()) < 5000)
  assert.deepEqual(page.faults, [])
})

test('F7: a script in a name, arguments, a result, an error or an answer stays text', async (t) => {
  const evil = '<img src=x onerror="document.title=\'evil\'"><script>document.title="evil"</script>'
  const path = await script(
    t,
    calls(
      ['c1', evil, { a: evil, [evil]: 1 }],
      ['c2', 'read_file', { path: evil }],
      ['c3', 'run_command', { command: `printf '%s' ${JSON.stringify(evil).replaceAll("'", '')}` }],
    ),
    says(
      `${evil}\n\n[link](javascript:document.title='evil') ![image](https://evil.example/a.png) <svg onload=alert(1)>`,
    ),
  )
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, evil)
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await button(page, 'Approve').first().click()
  await settled(studio, run.runId, 'completed', 'failed')
  await rows(page).filter({ hasText: 'link' }).first().waitFor()
  for (const line of await page.locator('[data-call-id]').all()) await unfold(line)
  await picture(page, 'hostile')
  assert.ok((await page.locator('[role=feed]').innerText()).includes('onerror'), 'it is there as text')
  assert.equal(await page.locator('[role=feed] img, [role=feed] script, [role=feed] svg[onload]').count(), 0)
  assert.doesNotMatch(await page.title(), /^evil$/)
  assert.deepEqual(page.faults, [])
})
