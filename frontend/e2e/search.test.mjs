// The search over all threads, without a mouse: it is opened, narrowed, walked through, and leads to what it found and back.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, streams, until } from './harness.mjs'
import { row } from './thread.mjs'

after(closeBrowser)

const field = (page) => page.getByRole('searchbox', { name: 'Search all threads' })
const hits = (page) => page.locator('[data-hit]')
const said = (page) => page.getByRole('main', { name: 'Search all threads' }).getByRole('status')

/** Waits until all that was written can be found. */
const indexed = (studio) =>
  until('the index', async () => {
    const { behind } = await studio.api('GET', '/studio/search')
    return !behind
  })

/** A studio with two threads: in each a file is read and another is missing, and in each a call is dropped. */
async function searched(t) {
  const work = await folder(t)
  await writeFile(join(work, 'notes.txt'), 'one\ntwo\nthe needleInTheHaystack is here\n')
  const path = await script(
    t,
    [
      { reasoning: 'The notes may tell it.' },
      { text: 'I look for the needle.' },
      ...calls(['c1', 'read_file', { path: 'notes.txt' }], ['c2', 'read_file', { path: 'missing.go' }]),
    ],
    [
      { text: 'I write it down.' },
      ...streams('w', 'write_file', ['{"path":"found.txt",', '"content":"halfwritten'], 5),
      { finishReason: 'length' },
    ],
    says('That is all.'),
  )
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const runs = []
  for (const input of ['Find the needle.', 'Find it once more.']) {
    const run = await start(studio, input)
    await settled(studio, run.runId, 'completed', 'failed')
    runs.push(run)
  }
  await indexed(studio)
  return { studio, runs }
}

const focusedHit = (page) => page.evaluate(() => document.activeElement?.dataset.hit)

async function toBeAtHit(page, at) {
  await until(`the focus on hit ${at}`, async () => (await focusedHit(page)) === String(at))
}

test('the search is opened, walked through, and leads to a call and back', async (t) => {
  const { studio, runs } = await searched(t)
  const page = await open(t, studio.address)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.keyboard.press('Control+Shift+F')
  await until('the focus on the field', () => field(page).evaluate((at) => at === document.activeElement))
  await page.keyboard.insertText('edleinthe')
  await until('two hits', async () => (await hits(page).count()) === 2)
  await said(page).filter({ hasText: '2 found' }).waitFor()
  assert.deepEqual(await page.locator('mark.hit').allInnerTexts(), ['edleInThe', 'edleInThe'])
  assert.match(await hits(page).first().innerText(), /Read file[\s\S]*Result[\s\S]*done/)
  const ligatures = await page
    .locator('mark.hit')
    .first()
    .evaluate((at) => getComputedStyle(at).fontVariantLigatures)
  assert.equal(ligatures, 'none', 'text is drawn sign by sign')
  assert.deepEqual(await axeFaults(page), [])

  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 0)
  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 1)
  await page.keyboard.press('Enter')
  const call = row(page, 'read_file').and(page.locator('[data-call-id=c1]'))
  await call.waitFor()
  assert.match(page.url(), new RegExp(`#/t/${runs[0].threadId}$`), 'the older thread is the second hit')
  await until('the focus on the call', () => call.evaluate((at) => at === document.activeElement))
  await until('the call to be open', async () => (await call.innerText()).includes('needleInTheHaystack'))
  await until('the text to be marked', () => page.evaluate(() => (CSS.highlights.get('found-here')?.size ?? 0) > 0))
  assert.equal(await page.getByRole('textbox', { name: 'Find in thread' }).inputValue(), 'edleInThe')

  await page.goBack()
  await toBeAtHit(page, 1)
  assert.equal(await field(page).inputValue(), 'edleinthe')

  await page.keyboard.press('Enter')
  await until('the focus on the call again', () => call.evaluate((at) => at === document.activeElement))
  await page.keyboard.press('Control+Shift+F')
  await until('the focus on the field', () => field(page).evaluate((at) => at === document.activeElement))
  await page.keyboard.insertText('edleinthe')
  assert.equal(await field(page).inputValue(), 'edleinthe', 'what is typed takes the place of what was asked')
  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 1)
  await page.keyboard.press('Escape')
  await until('the focus on the field again', () => field(page).evaluate((at) => at === document.activeElement))
  assert.deepEqual(page.faults, [])
})

test('the palette leads to it, and a message and the reasoning are gone to', async (t) => {
  const { studio, runs } = await searched(t)
  const page = await open(t, `${studio.address}#/t/${runs[1].threadId}`)
  await row(page, 'read_file').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.insertText('"once more"')
  await until('the search to be offered', async () => {
    const first = page.locator('[role=option][data-highlighted]')
    return (await first.count()) === 1 && (await first.innerText()).startsWith('Search all threads for')
  })
  await page.keyboard.press('Enter')
  await until('one hit', async () => (await hits(page).count()) === 1)
  await page.keyboard.press('Enter')
  await toBeAtHit(page, 0)
  await page.keyboard.press('Enter')
  await until('the focus on the message', () => page.evaluate(() => document.activeElement?.dataset.row === 'message'))
  await page.goBack()
  await toBeAtHit(page, 0)
  await page.keyboard.press('Control+Shift+F')
  await until('the focus on the field', () => field(page).evaluate((at) => at === document.activeElement))
  await page.keyboard.insertText('may tell')
  await until(
    'the reasoning',
    async () => (await hits(page).count()) === 2 && (await hits(page).first().innerText()).includes('Reasoning'),
  )
  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 0)
  await page.keyboard.press('Enter')
  await until('the reasoning to be shown', () =>
    page.evaluate(() => {
      const at = document.activeElement
      return at?.dataset.row === 'reasoning' && at.innerText.includes('The notes may tell it.')
    }),
  )
  assert.deepEqual(page.faults, [])
})

test('a call that was dropped is found, and shown by the inspector', async (t) => {
  const { studio } = await searched(t)
  const page = await open(t, `${studio.address}#/search?q=halfwritten&state=dropped`)
  await until('two hits', async () => (await hits(page).count()) === 2)
  assert.match(await hits(page).first().innerText(), /dropped/)
  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 0)
  await page.keyboard.press('Enter')
  const inspector = page.getByRole('complementary', { name: 'Run inspector' })
  await inspector.getByText('Why it was dropped').waitFor()
  await inspector.getByText('halfwritten').first().waitFor()
  assert.deepEqual(page.faults, [])
})

test('a message that a program put into a thread is found and gone to', async (t) => {
  const studio = await serve(t, { args: ['--script', await script(t, says('Well.')), '--folder', await folder(t)] })
  const { threadId, runId } = await start(studio, 'How are you?')
  await settled(studio, runId, 'completed')
  await studio.api('POST', `/threads/${threadId}/messages`, {
    role: 'user',
    content: 'By the way: mind the albatross.',
  })
  await indexed(studio)
  const page = await open(t, `${studio.address}#/search?q=albatross`)
  await until('one hit', async () => (await hits(page).count()) === 1)
  assert.match(await hits(page).first().innerText(), /Message[\s\S]*mind the albatross/)
  await page.keyboard.press('ArrowDown')
  await toBeAtHit(page, 0)
  await page.keyboard.press('Enter')
  await until('the focus on the message', () =>
    page.evaluate(() => {
      const at = document.activeElement
      return at?.dataset.row === 'message' && at.innerText.includes('mind the albatross')
    }),
  )
  await page.getByRole('heading', { name: 'Put in by a program, as the user' }).waitFor()
  await until('the text to be marked', () => page.evaluate(() => (CSS.highlights.get('found-here')?.size ?? 0) > 0))
  assert.deepEqual(await axeFaults(page), [])
  assert.deepEqual(page.faults, [])
})

test('it is narrowed by keys, says that nothing fits, and is widened again', async (t) => {
  const { studio } = await searched(t)
  const page = await open(t, `${studio.address}#/search?q=missing.go`)
  await until('the calls and their errors', async () => (await hits(page).count()) === 4)
  await page.getByRole('combobox', { name: 'State of the call' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'done' }).waitFor()
  await until('the focus on a state', () =>
    page.evaluate(() => document.activeElement?.getAttribute('role') === 'option'),
  )
  await until('the state', async () => {
    if (await page.evaluate(() => document.activeElement?.textContent === 'done')) return true
    await page.keyboard.press('ArrowDown')
    return false
  })
  await page.keyboard.press('Enter')
  await page.getByText('Nothing matches ‘missing.go’ with these filters.').waitFor()
  assert.match(page.url(), /state=done/)
  assert.deepEqual(await axeFaults(page), [])
  await page.getByRole('button', { name: 'Clear filters' }).last().focus()
  await page.keyboard.press('Enter')
  await until('all four again', async () => (await hits(page).count()) === 4)
  await field(page).focus()
  await page.keyboard.press('Escape')
  await page.getByText('Searches what was said and done in every thread').waitFor()
  assert.match(page.url(), /#\/search$/)
  assert.deepEqual(page.faults, [])
})
