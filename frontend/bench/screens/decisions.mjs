// What waits for a person.
import { button, row } from '../../e2e/thread.mjs'
import { answered, secretCall, worked } from '../scenes.mjs'
import { all } from '../shoot.mjs'

export const scenes = {
  async approval(t, shoot) {
    const { page } = await worked(t)
    await row(page, 'run_command', 'waiting').first().waitFor()
    await shoot(page, 'approval', { sizes: all })
    await button(page, 'Edit arguments').first().click()
    await page.getByRole('tab', { name: 'JSON' }).first().click()
    await page.locator('.cm-content').first().waitFor()
    await shoot(page, 'approval-edit-json')
    await page.getByRole('tab', { name: 'Form' }).first().click()
    await shoot(page, 'approval-edit-form')
    await page.keyboard.press('Escape')
  },

  async 'approval-masked'(t, shoot) {
    const { page } = await secretCall(t)
    await page.getByText('A secret is masked here').first().waitFor()
    await shoot(page, 'approval-masked')
    await button(page, 'Edit arguments').first().click()
    await page.getByText('Once edited, the call runs with what is written here').first().waitFor()
    await shoot(page, 'approval-masked-edit')
  },

  async 'approval-deny'(t, shoot) {
    const { page } = await worked(t)
    await button(page, 'Deny…').first().click()
    await page.getByRole('textbox', { name: /reason/i }).first().waitFor()
    await shoot(page, 'approval-deny')
  },

  async rules(t, shoot) {
    const { page } = await worked(t)
    await button(page, 'Always allow…').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save and approve' }).waitFor()
    await shoot(page, 'rules-dialog')
  },

  async inbox(t, shoot) {
    const { page } = await worked(t)
    await page.keyboard.press('Control+j')
    await page.getByRole('dialog', { name: 'Waiting for you' }).getByRole('article').first().waitFor()
    await shoot(page, 'inbox', { sizes: all })
  },

  async 'inbox-empty'(t, shoot) {
    const { page } = await answered(t)
    await page.keyboard.press('Control+j')
    await page.getByText('Nothing waits for you.').waitFor()
    await shoot(page, 'inbox-empty')
  },
}
