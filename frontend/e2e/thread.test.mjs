import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { mainThread } from '../bench/tasks.mjs'
import { lastWords, mixed, played } from '../bench/threads.mjs'
import {
  calls,
  closeBrowser,
  folder,
  open,
  picture,
  says,
  script,
  serve,
  settled,
  start,
  streams,
  until,
} from './harness.mjs'
import { button, composer, opens, row, rows, send, shown, standsStill, unfold } from './thread.mjs'

after(closeBrowser)

test('Stop in mid-run: the open call leaves, the run is cancelled, and the next message works', async (t) => {
  const slow = streams('c1', 'write_file', ['{"path":"a.txt",', '"content":"', ...'abcdefghijklmnop'], 2000)
  const path = await script(t, [{ text: 'I write.' }, ...slow], says('Hello again.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const page = await open(t, studio.address)
  await send(page, 'Write it.')
  await row(page, 'write_file', 'input').waitFor()
  await button(page, 'Stop').click()
  await row(page, 'write_file').waitFor({ state: 'detached' })
  const [thread] = (await studio.api('GET', '/threads')).threads
  await settled(studio, thread.runId, 'cancelled')
  await send(page, 'And now?')
  await rows(page).filter({ hasText: 'Hello again.' }).waitFor()
  await page.reload()
  await rows(page).filter({ hasText: 'Hello again.' }).waitFor()
  assert.equal(await row(page, 'write_file').count(), 0, 'the call is not back after a reload')
  assert.deepEqual(page.faults, [])
})

test('a running command is cancelled alone, and the run goes on', async (t) => {
  const path = await script(t, calls(['c1', 'run_command', { command: 'echo started; sleep 60' }]), says('Went on.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Run it.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await button(page, 'Approve').first().click()
  const running = row(page, 'run_command', 'running')
  await running.filter({ hasText: 'started' }).waitFor()
  await running
    .getByRole('button', { name: /cancel/i })
    .first()
    .click()
  await row(page, 'run_command', 'cancelled').waitFor()
  await rows(page).filter({ hasText: 'Went on.' }).waitFor()
  await settled(studio, run.runId, 'completed')
  assert.deepEqual(page.faults, [])
})

test('numbers, keys and digits stay as the model wrote them: in row, card, copy and store', async (t) => {
  const odd = '{"command":"true", "timeoutMs":1.0, "timeoutMs":2512292042121000001, "x":1e400, "__proto__":{"a":1.0}}'
  const path = await script(t, calls(['c1', 'run_command', odd]), says('Fine.'))
  const work = await folder(t)
  await writeFile(join(work, 'n.txt'), '1')
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Go.')
  const answer = await settled(studio, run.runId, 'paused', 'completed')
  const streamed = answer.events.filter((event) => event.type === 'tool-call-delta').map((event) => event.argsTextDelta)
  assert.equal(streamed.join(''), odd, 'the stored log has the text')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const line = row(page, 'run_command')
  await line.waitFor()
  await unfold(line)
  const text = await line.innerText()
  for (const exact of ['1.0', '2512292042121000001', '1e400', '__proto__']) {
    assert.ok(text.includes(exact), `the row shows ${exact}: ${text}`)
  }
  assert.deepEqual(page.faults, [])
})

test('light and dark, narrow and wide: the page follows, and nothing is amiss in the console', async (t) => {
  const path = await script(t, says('Hello.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Hi.')
  await settled(studio, run.runId, 'completed')
  for (const [colorScheme, background] of [
    ['light', 'rgb(250, 250, 251)'],
    ['dark', 'rgb(12, 13, 16)'],
  ]) {
    const page = await open(t, `${studio.address}#/t/${run.threadId}`, { colorScheme })
    await rows(page).filter({ hasText: 'Hello.' }).waitFor()
    const body = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    assert.equal(body, background, `the background in ${colorScheme}`)
    await page.setViewportSize({ width: 720, height: 480 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(overflow <= 0, `nothing is wider than a window of 720 px: ${overflow} px over`)
    assert.ok(await composer(page).isVisible())
    await picture(page, `small-${colorScheme}`)
    assert.deepEqual(page.faults, [])
  }
})

/** A page on a thread of 10,094 calls that is not open yet. */
async function large(t) {
  const { studio, run } = await played(t, mixed(98, 103))
  const page = await open(t, studio.address)
  await button(page, 'New thread').first().waitFor()
  return { page, threadId: run.threadId }
}

/** The number of rows the feed says the thread has; -1 while that is not known. */
const said = (page) => rows(page).last().getAttribute('aria-setsize').then(Number)

test('a thread of 10,000 calls opens in 300 ms with its end, and then has all of its rows, few of them in the page', async (t) => {
  const { page, threadId } = await large(t)
  const atWork = await mainThread(page)
  const before = await atWork()
  const took = await opens(page, threadId, lastWords)
  const work = (await atWork()) - before
  console.log(
    `      10,094 calls open in ${Math.round(took)} ms (the promise is 300), ${Math.round(work)} of them at work`,
  )
  assert.ok(work < 3000, `it was at work for ${work} ms, ten times as long as it may take`)
  assert.equal(await until('all rows', async () => (await said(page)) > 0 && (await said(page))), 98 * 104 + 4)
  assert.ok((await rows(page).count()) < 200, `${await rows(page).count()} rows are in the page`)
  assert.ok((await shown(page)).at(-1).text.includes(lastWords), 'it stays at its end')
  assert.deepEqual(page.faults, [])
})

test('what is read above the end of a thread moves no row that is on the screen, and is not new', async (t) => {
  const { page, threadId } = await large(t)
  let read
  await page.route('**/events?after=0&*', async (route) => {
    await new Promise((resolve) => (read = resolve))
    await route.continue()
  })
  await opens(page, threadId, lastWords)
  await page.mouse.move(640, 400)
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -300)
  await button(page, 'To the end').waitFor()
  await standsStill(page)
  const key = await rows(page).and(page.locator('[data-row=call]')).nth(12).getAttribute('data-key')
  const toggle = page.locator(`[data-key="${key}"] [aria-expanded]`).first()
  await toggle.click()
  await standsStill(page)
  assert.equal(await said(page), -1, 'how many rows there are is not known yet')
  await page.evaluate(() => {
    const feed = document.querySelector('[role=feed]')
    const places = () =>
      new Map(
        [...feed.querySelectorAll('[role=article]')].map((row) => [row.dataset.key, row.getBoundingClientRect().top]),
      )
    const before = places()
    window.moved = 0
    const look = () => {
      const now = places()
      const kept = [...before].filter(([key, top]) => now.has(key) && top > 0 && top < innerHeight)
      window.kept = kept.length
      for (const [key, top] of kept) window.moved = Math.max(window.moved, Math.abs(now.get(key) - top))
      window.looking = requestAnimationFrame(look)
    }
    look()
  })
  await until('the rest to be asked for', () => read)
  read()
  await until('all rows', async () => (await said(page)) > 0)
  await standsStill(page)
  const { moved, kept } = await page.evaluate(() => ({ moved: window.moved, kept: window.kept }))
  assert.ok(kept > 10, `${kept} rows stayed on the screen`)
  assert.ok(moved <= 1, `a row moved by ${moved} px`)
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true', 'the row that was opened is open')
  assert.ok(await button(page, 'To the end').isVisible(), 'nothing of it counts as new')
  assert.deepEqual(page.faults, [])
})

test('a row that is opened at the end of a finished thread keeps its place, and the next message is followed', async (t) => {
  const work = await folder(t)
  await writeFile(join(work, 'long.txt'), 'one line of many\n'.repeat(200))
  const reads = Array.from({ length: 12 }, (_, i) => [
    `c${i}`,
    i % 2 ? 'read_file' : 'list_files',
    { path: i % 2 ? 'long.txt' : '.' },
  ])
  const path = await script(t, calls(...reads), says('All was read.'), says('Much more.\n\n'.repeat(60)))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Read it.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, { height: 600 })
  await rows(page).filter({ hasText: 'All was read.' }).waitFor()
  const last = page.locator('[data-call-id=c11]')
  const topOf = () => last.evaluate((it) => it.getBoundingClientRect().top)
  await standsStill(page)
  const before = await topOf()
  for (const open of [() => last.locator('[aria-expanded]').first().click(), () => last.press('ArrowRight')]) {
    await open()
    await last.locator('[data-block]').first().waitFor()
    await standsStill(page)
    assert.ok(Math.abs((await topOf()) - before) < 2, `the head went from ${before} to ${await topOf()}`)
    await last.press('ArrowLeft')
    await last.locator('[data-block]').first().waitFor({ state: 'detached' })
    await button(page, 'To the end').waitFor({ state: 'detached' })
  }
  await last.press('ArrowRight')
  await button(page, 'To the end').waitFor()
  await send(page, 'And now?')
  await until('the end to be followed', () =>
    page
      .locator('[role=feed]')
      .evaluate((it) => it.innerText.includes('Much more.') && it.scrollHeight - it.scrollTop - it.clientHeight < 9),
  )
  assert.deepEqual(page.faults, [])
})
