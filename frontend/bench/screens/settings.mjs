// The sections of the settings, with something in each.
import { button } from '../../e2e/thread.mjs'
import { kept, nothingYet } from '../scenes.mjs'
import { all } from '../shoot.mjs'

const sections = ['General', 'Agents', 'Models', 'Tool sets', 'MCP servers', 'Sandbox', 'Schedules', 'Notes', 'Rules']

export const scenes = {
  async settings(t, shoot) {
    const { page, studio } = await kept(t)
    await studio.api('POST', '/studio/rules', {
      toolName: 'run_command',
      name: 'go test',
      conditions: [{ path: 'command', op: 'pattern', value: 'go test *' }],
    })
    await studio.api('POST', '/studio/agents', {
      name: 'Careful one',
      description: 'Reads first, and asks before it writes',
      instructions: 'Ask first.',
      tools: ['read_file', 'nobody_has_it'],
      approvals: { read_file: 'always' },
    })
    await studio.api('PUT', '/studio/providers/p-local', { name: 'Local', baseUrl: 'http://127.0.0.1:9/v1', model: 'qwen3', key: 'sk-0123456789abcdefghij', keepKey: 'file' })
    await page.keyboard.press('Control+,')
    await page.getByText('go test').first().waitFor()
    for (const name of sections) {
      await shoot(page, `settings-${name.toLowerCase().replace(' ', '-')}`, {
        sizes: name === 'General' ? all : undefined,
        again: () => button(page, name).click(),
      })
    }
    const box = page.getByRole('region', { name: 'Sandbox', exact: true })
    await box.getByRole('combobox', { name: 'Commands run' }).click()
    await page.getByRole('option', { name: /^In Docker/ }).click()
    await box.getByRole('textbox', { name: 'Image' }).waitFor()
    await shoot(page, 'settings-sandbox-docker', { again: () => button(page, 'Sandbox').click() })
  },

  async 'settings-empty'(t, shoot) {
    const { page } = await nothingYet(t)
    await page.keyboard.press('Control+,')
    for (const name of ['Models', 'MCP servers', 'Attached servers', 'Schedules', 'Rules']) {
      await shoot(page, `settings-empty-${name.toLowerCase().replace(' ', '-')}`, { again: () => button(page, name).click() })
    }
  },
}
