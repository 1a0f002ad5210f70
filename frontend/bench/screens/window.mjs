// The window itself: what lies over it, and what it says where something is not there.
import { open, serve } from '../../e2e/harness.mjs'
import { button, runCommand } from '../../e2e/thread.mjs'
import { answered, failed, told, worked } from '../scenes.mjs'
import { all } from '../shoot.mjs'

export const scenes = {
  async 'first-run'(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, studio.address)
    await button(page, 'Send').waitFor()
    await shoot(page, 'first-run', { sizes: all })
  },

  async 'first-run-found'(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, studio.address)
    await told(page, { found: [{ id: 'ollama', name: 'Ollama on this machine', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'llama3.2'], source: 'local' }] })
    await button(page, 'Send').waitFor()
    await shoot(page, 'first-run-found')
    await page.getByRole('button', { name: 'Use Ollama on this machine' }).click()
    await page.getByRole('textbox', { name: 'Address' }).waitFor()
    await shoot(page, 'connect-found')
  },

  async 'first-steps'(t, shoot) {
    const { page, studio } = await answered(t)
    await page.goto(String(studio.address))
    await page.getByRole('button', { name: 'Make an agent of your own' }).waitFor()
    await shoot(page, 'first-steps')
  },

  async 'threads-none'(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, studio.address)
    await page.getByText('No threads yet.').waitFor()
    await page.getByRole('searchbox', { name: 'Search threads' }).fill('nowhere')
    await page.getByText('Nothing matches').waitFor()
    await shoot(page, 'threads-none')
  },

  async 'no-such-thread'(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, `${studio.address}#/t/none`)
    await page.getByText('There is no such thread').waitFor()
    await shoot(page, 'no-such-thread', { forgive: /Failed to load resource/ })
  },

  async menu(t, shoot) {
    const { page } = await answered(t)
    await shoot(page, 'menu', {
      again: async () => {
        await page.reload()
        await button(page, 'Send').waitFor()
        await page.keyboard.press('F10')
        await page.getByRole('menuitem', { name: 'View' }).click()
        await page.getByRole('menuitem', { name: /^Zoom in/ }).waitFor()
      },
    })
  },

  async about(t, shoot) {
    const { page } = await answered(t)
    const dialog = (name) => page.getByRole('dialog', { name })
    await runCommand(page, 'About Callboard')
    await dialog('About Callboard').getByRole('button', { name: 'Licences' }).waitFor()
    await shoot(page, 'about')
    await page.keyboard.press('Escape')
    await dialog('About Callboard').waitFor({ state: 'detached' })
    await runCommand(page, 'Licences')
    await page.getByRole('button', { name: /^clsx/ }).click()
    await shoot(page, 'about-licences')
    await page.keyboard.press('Escape')
    await dialog('Licences').waitFor({ state: 'detached' })
    await runCommand(page, 'README')
    await dialog('README').getByRole('heading').first().waitFor()
    await shoot(page, 'about-readme')
  },

  async folder(t, shoot) {
    const { page } = await answered(t)
    await page.goto(page.url().replace(/#.*/, '#/new'))
    await page.getByRole('button', { name: /^(Change|Choose)…$/ }).click()
    await page.getByRole('textbox', { name: 'Path' }).waitFor()
    await shoot(page, 'folder')
  },

  async link(t, shoot) {
    const { page } = await answered(t)
    await page.getByRole('link', { name: 'the notes' }).click()
    await page.getByRole('dialog', { name: 'Open this address?' }).waitFor()
    await shoot(page, 'link')
  },

  async palette(t, shoot) {
    const { page } = await answered(t)
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    await shoot(page, 'palette', { sizes: all })
    await page.keyboard.insertText('nothing like it')
    await page.getByText('no command matches').waitFor()
    await shoot(page, 'palette-nothing')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+/')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await shoot(page, 'keyboard')
  },

  async lost(t, shoot) {
    const { page, studio } = await worked(t)
    await studio.stop('SIGKILL')
    await page.getByText('Connection lost.').waitFor()
    await shoot(page, 'lost', { forgive: /Failed to load resource|ERR_/ })
  },

  async failed(t, shoot) {
    const { page } = await failed(t)
    await shoot(page, 'failed')
  },
}
