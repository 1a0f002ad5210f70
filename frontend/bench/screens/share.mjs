// What is found in all threads, and what goes out as a file and comes in.
import { until } from '../../e2e/harness.mjs'
import { button } from '../../e2e/thread.mjs'
import { secretive, worked } from '../scenes.mjs'
import { onlyWide } from '../shoot.mjs'

export const scenes = {
  async share(t, shoot) {
    const { page } = await secretive(t)
    const dialog = page.getByRole('dialog', { name: /^Export/ })
    const show = async () => {
      if ((await dialog.count()) > 0) return
      await button(page, 'Thread actions').click()
      await page.getByRole('menuitem', { name: 'Export…' }).click()
      await dialog.getByRole('checkbox', { name: 'Mask secrets' }).waitFor()
    }
    await shoot(page, 'share-export', { again: show })
    await dialog.getByRole('checkbox', { name: 'Mask secrets' }).check()
    await dialog.getByRole('textbox', { name: 'Mask these words too' }).fill('Falcon')
    await page.keyboard.press('Enter')
    await dialog.getByRole('region', { name: 'word of your own' }).waitFor()
    await dialog.getByRole('checkbox', { name: /^Mask: value named/ }).first().uncheck()
    await shoot(page, 'share-redacted')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await button(page, 'Import a thread…').click()
    await page.getByRole('dialog', { name: 'Import a thread' }).waitFor()
    await shoot(page, 'share-import')
    await page.getByLabel('The thread’s file').setInputFiles({ name: 'a photo.callboard', mimeType: '', buffer: Buffer.from('GIF89a') })
    await page.getByRole('alert').waitFor()
    await shoot(page, 'share-import-failed', { forgive: /400/ })
    await page.keyboard.press('Escape')
  },

  async search(t, shoot) {
    const { studio, page } = await worked(t)
    await until('the index', async () => !(await studio.api('GET', '/studio/search')).behind)
    const show = async (query, words) => {
      await page.evaluate((asked) => {
        location.hash = `#/search${asked}`
      }, query)
      await page.getByText(words).first().waitFor()
    }
    await show('', 'Searches what was said and done')
    await shoot(page, 'search-empty')
    await show('?q=main', /\d+ (found|of many)/)
    await page.keyboard.press('ArrowDown')
    await shoot(page, 'search')
    const tools = page.getByRole('option', { name: 'run_command' })
    await shoot(page, 'search-filter', {
      again: async () => {
        if ((await tools.count()) === 0) await page.getByRole('combobox', { name: 'Tool' }).click()
        await tools.waitFor()
      },
    })
    await page.keyboard.press('Escape')
    await tools.waitFor({ state: 'detached' })
    await show('?q=half&state=dropped&tool=write_file&time=range&from=2020-01-01', /\d+ found/)
    await shoot(page, 'search-narrowed')
    await show('?q=nowhere', 'Nothing matches ‘nowhere’')
    await shoot(page, 'search-nothing')
    await show('?q=half', /\d+ found/)
    await page.locator('[data-hit]').first().click()
    await page.getByText('Why it was dropped').waitFor()
    await shoot(page, 'search-led', { sizes: onlyWide })
  },
}
