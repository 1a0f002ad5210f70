// What one's own agents, models and servers are set up with.
import { open, serve } from '../../e2e/harness.mjs'
import { button, row, runCommand } from '../../e2e/thread.mjs'
import { agentFile, answered, kept } from '../scenes.mjs'

export const scenes = {
  async agent(t, shoot) {
    const { page } = await kept(t)
    await runCommand(page, 'Make an agent')
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await shoot(page, 'agent-make')
    await button(page, 'Make the agent').click()
    await page.getByText('It needs a name.').waitFor()
    await shoot(page, 'agent-no-name')
    await page.getByRole('textbox', { name: 'Name' }).fill('Careful one')
    await page.getByRole('combobox', { name: 'Tools' }).click()
    await page.getByRole('option', { name: 'Those I choose' }).click()
    await page.getByRole('textbox', { name: 'Turns of a run' }).fill('-3')
    await button(page, 'Make the agent').click()
    await page.getByText('At least 1.').waitFor()
    await shoot(page, 'agent-limit')
  },

  async 'agent-import'(t, shoot) {
    const { page } = await answered(t)
    for (const [name, text, words] of [
      ['agent-import', agentFile, 'never asks you'],
      ['agent-import-none', '{"a": 1}', 'Close'],
    ]) {
      const choosing = page.waitForEvent('filechooser')
      await runCommand(page, 'Import an agent')
      await (await choosing).setFiles({ name: 'one.agent.json', mimeType: 'application/json', buffer: Buffer.from(text) })
      await page.getByRole('dialog').getByText(words).first().waitFor()
      await shoot(page, name, { forgive: /400/ })
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  },

  async connect(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, studio.address)
    await page.getByRole('button', { name: 'Connect a model' }).click()
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.waitFor()
    await shoot(page, 'connect')
    await address.fill('nowhere at all')
    await button(page, 'Save and test').click()
    await page.getByText('Must be a whole address').waitFor()
    await shoot(page, 'connect-no-address', { forgive: /400/ })
    await address.fill('http://127.0.0.1:9/v1')
    await page.getByRole('textbox', { name: 'Key' }).fill('sk-0123456789abcdefghij')
    await button(page, 'Save and test').click()
    await page.getByText('Failed').waitFor()
    await shoot(page, 'connect-failed')
  },

  async attach(t, shoot) {
    const there = await serve(t)
    const studio = await serve(t)
    const page = await open(t, studio.address)
    await page.getByRole('button', { name: 'Attach a server' }).click()
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.waitFor()
    await shoot(page, 'attach')
    await button(page, 'Attach').click()
    await page.getByText('It needs an address').waitFor()
    await shoot(page, 'attach-no-address')
    await address.fill('http://127.0.0.1:9')
    await page.getByRole('textbox', { name: 'Name' }).fill('studio')
    await button(page, 'Attach').click()
    await page.getByText('nothing listens there').first().waitFor()
    await shoot(page, 'attach-failed')
    await address.fill(String(there.address))
    await button(page, 'Save and test').click()
    await page.getByText('it has 2 agents').waitFor()
    await shoot(page, 'attach-works')
    await button(page, 'New thread with demo').click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Move the greeter to port 9090.')
    await shoot(page, 'attach-new-thread')
    await button(page, 'Send').click()
    await row(page, 'run_command', 'waiting').waitFor()
    await there.stop('SIGKILL')
    await page.getByRole('status').getByText('Connection to studio lost, trying again').waitFor()
    await shoot(page, 'attach-lost')
    await page.keyboard.press('Control+,')
    await shoot(page, 'settings-attached-servers', { again: () => button(page, 'Attached servers').click() })
  },

  async mcp(t, shoot) {
    const { page } = await kept(t)
    await page.keyboard.press('Control+,')
    const servers = page.getByRole('region', { name: 'MCP servers', exact: true })
    await servers.getByText('failed', { exact: true }).waitFor()
    await servers.getByRole('button', { name: /^\d+ tools/ }).click()
    await servers.getByRole('button', { name: 'Test' }).nth(1).click()
    await servers.getByRole('status').getByText('Failed').waitFor()
    await shoot(page, 'mcp-tested', { again: () => button(page, 'MCP servers').click() })
    await servers.getByRole('button', { name: 'Edit' }).nth(1).click()
    await page.getByRole('textbox', { name: 'Command' }).waitFor()
    await shoot(page, 'mcp-edit')
    await button(page, 'Save and test').click()
    await page.getByRole('status').getByText('Failed').waitFor()
    await shoot(page, 'mcp-edit-failed')
    await button(page, 'Cancel').or(page.getByRole('dialog').locator('footer').getByRole('button', { name: 'Close' })).click()
    await button(page, 'Add a server').click()
    await button(page, 'Add a variable').click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('two words')
    await button(page, 'Save').click()
    await page.getByText('Only letters, digits and - may be in it.').waitFor()
    await shoot(page, 'mcp-add')
  },
}
