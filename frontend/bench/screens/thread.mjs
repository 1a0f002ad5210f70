// Threads: their rows, their blocks, the run inspector and playback.
import assert from 'node:assert/strict'
import { gallery } from '../../e2e/gallery.mjs'
import { until } from '../../e2e/harness.mjs'
import { button, row, rows } from '../../e2e/thread.mjs'
import { answered, gated, handedOver, long, nothingYet, worked } from '../scenes.mjs'
import { all } from '../shoot.mjs'

/** In a wide window the inspector opens by itself, and the key would close it before it is there. */
const inspected = async (page, tab) => {
  const wanted = page.getByRole('tab', { name: tab })
  if (page.viewportSize().width < 1200 && (await wanted.count()) === 0) await page.keyboard.press('Control+i')
  await wanted.click()
}

export const scenes = {
  async 'thread-empty'(t, shoot) {
    const { page } = await nothingYet(t)
    await shoot(page, 'thread-empty')
  },

  async 'thread-one'(t, shoot) {
    const { page } = await answered(t)
    await shoot(page, 'thread-one')
  },

  async 'thread-handoff'(t, shoot) {
    const { page } = await gated(t, handedOver())
    await page.getByRole('heading', { name: 'Handed over to writer' }).waitFor()
    await shoot(page, 'thread-handoff')
  },

  async 'thread-structured'(t, shoot) {
    const { structured } = await gallery(t)
    const { page } = await gated(t, structured)
    await page.getByRole('feed').getByRole('group', { name: 'Structured output' }).waitFor()
    await inspected(page, 'Timeline')
    await shoot(page, 'thread-structured')
  },

  async 'thread-inside'(t, shoot) {
    const { inside } = await gallery(t)
    const { page } = await gated(t, inside)
    await row(page, 'upload', 'waiting').waitFor()
    await shoot(page, 'thread-inside')
  },

  async 'thread-10000'(t, shoot) {
    const { page } = await gated(t, long(10_000))
    await row(page, 'tool_9').last().waitFor()
    await shoot(page, 'thread-10000')
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find in thread' }).fill('"of":"c9998"')
    await page.getByText('1 of 1').waitFor()
    await shoot(page, 'thread-10000-found')
  },

  async states(t, shoot) {
    const { states } = await gallery(t)
    const { page, door } = await gated(t, states)
    await row(page, 'run_command', 'waiting').waitFor()
    await shoot(page, 'states', { sizes: all })
    await page.getByRole('feed').evaluate((feed) => feed.scrollTo(0, 0))
    await shoot(page, 'states-top')
    assert.equal(door.count(), states.length)
  },

  async 'states-written'(t, shoot) {
    const { states } = await gallery(t)
    const writing = states.findIndex((line) => line.includes('tool-call-delta')) + 1
    const { page } = await gated(t, states, writing)
    await rows(page).first().waitFor()
    await shoot(page, 'states-written')
  },

  async kinds(t, shoot) {
    const { kinds } = await gallery(t)
    const { page } = await gated(t, kinds)
    for (const tool of ['diff', 'table', 'image', 'terminal', 'json', 'large_json', 'markdown', 'long_text', 'many']) {
      await page.keyboard.press('Control+f')
      await page.getByRole('textbox', { name: 'Find in thread' }).fill(tool.replace('_', ' '))
      await until(`${tool} to be found`, async () => {
        if ((await page.locator(`[data-tool="${tool}"][data-found]`).count()) > 0) return true
        await page.waitForTimeout(200)
        await page.keyboard.press('F3')
        await page.waitForTimeout(200)
        return (await page.locator(`[data-tool="${tool}"][data-found]`).count()) > 0
      })
      await button(page, 'Close find (Esc)').click()
      await page.keyboard.press('ArrowRight')
      await row(page, tool).locator('section, [role=progressbar]').first().waitFor()
      await row(page, tool).evaluate((element) => element.scrollIntoView({ block: 'start' }))
      await shoot(page, `kind-${tool}`)
      await row(page, tool).focus()
      await page.keyboard.press('ArrowLeft')
    }
  },

  async inspector(t, shoot) {
    const { page } = await worked(t)
    await row(page, 'read_file').first().focus()
    for (const tab of ['Timeline', 'Call', 'Raw', 'Events', 'History']) {
      await shoot(page, `inspector-${tab.toLowerCase()}`, {
        again: () => inspected(page, tab),
      })
    }
  },

  async prices(t, shoot) {
    const { page } = await answered(t)
    await inspected(page, 'Timeline')
    await button(page, 'Prices…').click()
    await button(page, 'Add a price').click()
    await shoot(page, 'prices')
  },

  async playback(t, shoot) {
    const { page } = await worked(t)
    await button(page, 'Play back (P)').click()
    await page.getByRole('slider', { name: 'Event' }).waitFor()
    await shoot(page, 'playback')
    await page.keyboard.press('Home')
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight')
    await shoot(page, 'playback-middle')
  },
}
