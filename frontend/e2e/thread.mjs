// What a test does with a thread on the page, and what it sees of it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { calls, folder, open, patience, says, script, serve, settled, start, until } from './harness.mjs'

export const composer = (page) => page.getByRole('textbox', { name: 'Message' })
export const button = (page, name) => page.getByRole('button', { name, exact: true })
export const rows = (page) => page.locator('[role=feed] [role=article]')
export const row = (page, tool, state) =>
  rows(page).and(page.locator(`[data-tool="${tool}"]${state ? `[data-state="${state}"]` : ''}`))

/** Writes a message and sends it. */
export async function send(page, text) {
  await composer(page).fill(text)
  await button(page, 'Send').click()
}

/** Opens a call's row, if it is not open. */
export async function unfold(locator) {
  const toggle = locator.locator('[aria-expanded]').first()
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
}

/** In the page: what the feed shows, each row in order, its call and state, and the words of its line. */
export function rowsShown() {
  return [...document.querySelectorAll('[role=feed] [role=article]')].map((article) => ({
    key: article.dataset.key,
    call: article.dataset.callId,
    tool: article.dataset.tool,
    state: article.dataset.state,
    text: (article.querySelector('[data-line]') ?? article).innerText.replace(/\s+/g, ' ').trim(),
  }))
}

/** What the feed shows. */
export const shown = (page) => page.evaluate(rowsShown)

/** Opens a thread on a page that is there, and returns the ms until its feed shows some words. */
export function opens(page, threadId, words) {
  return page.evaluate(
    async ([id, last, ms]) => {
      const begin = performance.now()
      location.hash = `#/t/${id}`
      while (!document.querySelector('[role=feed]')?.innerText.includes(last)) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
        if (performance.now() - begin > ms) throw new Error('the thread did not open')
      }
      return performance.now() - begin
    },
    [threadId, words, patience],
  )
}

/** Waits until the rows of the feed have kept their places for some frames: the list corrects its own a moment after it was moved. */
export const standsStill = (page) =>
  page.evaluate(async () => {
    const feed = document.querySelector('[role=feed]')
    const places = () => [feed.scrollTop, ...[...feed.querySelectorAll('[role=article]')].map((row) => row.offsetTop)]
    for (let same = 0, before = ''; same < 15; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = places().join()
      same = now === before ? same + 1 : 0
      before = now
    }
  })

/** Waits until the rows of the feed read so, and fails with what they read where they never do. */
export async function toRead(page, texts, why) {
  let read
  await until('the rows to read as meant', async () => {
    read = await rows(page).allInnerTexts()
    return isDeepStrictEqual(read, texts)
  }).catch(() => assert.deepEqual(read, texts, why))
}

/** Chooses from a list that a press opens, and waits until the focus is back at what opened it. */
export async function choose(page, list, name) {
  await list.click()
  const option = page.getByRole('option', { name })
  await option.click()
  await option.waitFor({ state: 'detached' })
  await list.and(page.locator(':focus')).waitFor()
}

/** Starts to note every state and text each row of the feed shows; `noted` returns them by row. */
export async function note(page) {
  await page.evaluate(() => {
    const seen = {}
    window.noted = seen
    const look = () => {
      for (const article of document.querySelectorAll('[role=feed] [role=article]')) {
        const { key, tool, state } = article.dataset
        seen[key] ??= { tool, states: [], texts: [] }
        const entry = seen[key]
        if (entry.states.at(-1) !== state) entry.states.push(state)
        const text = article.innerText
        if (entry.texts.at(-1) !== text) entry.texts.push(text)
      }
    }
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['data-state'],
    })
    look()
  })
}

export const noted = (page) => page.evaluate(() => Object.values(window.noted))

/** Runs a command from the palette: the first that its name offers. */
export async function runCommand(page, name) {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads and commands' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.insertText(name)
  await until(`${name} to be offered`, async () => {
    const first = page.locator('[role=option][data-highlighted]')
    return (await first.count()) === 1 && (await first.innerText()).startsWith(name)
  })
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Search threads and commands' }).waitFor({ state: 'detached' })
}

/** A studio whose model asks to run one command, in a folder of its own, and a page on its waiting run. */
export async function waiting(t, options) {
  const work = await folder(t)
  const path = await script(t, calls(['c1', 'run_command', { command: 'echo ran >> ran.txt' }]), says('That is all.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Run it.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, options)
  await row(page, 'run_command', 'waiting').waitFor()
  const ran = () => readFile(join(work, 'ran.txt'), 'utf8').catch(() => '')
  return { studio, run, page, ran }
}
