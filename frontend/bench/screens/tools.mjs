// The tools, and what is tried of them by hand.
import { open, serve } from '../../e2e/harness.mjs'
import { button, row } from '../../e2e/thread.mjs'
import { answered, kept } from '../scenes.mjs'

export const scenes = {
  async tools(t, shoot) {
    const { studio } = await kept(t)
    const page = await open(t, `${studio.address}#/tools`)
    await page.getByRole('region', { name: 'Workspace' }).waitFor()
    await page.getByText('Start again').waitFor()
    await shoot(page, 'tools')
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('nowhere')
    await page.getByText('Nothing matches').waitFor()
    await shoot(page, 'tools-nothing')
  },

  async 'tool-try'(t, shoot) {
    const { studio } = await answered(t)
    const page = await open(t, `${studio.address}#/tools/workspace/run_command`)
    await page.getByText('Still needed: command').waitFor()
    await shoot(page, 'tool-try')
    await page.getByRole('textbox', { name: 'timeoutMs' }).fill('1e')
    await page.getByText('Not a number.').waitFor()
    await shoot(page, 'tool-try-wrong')
    await page.getByRole('textbox', { name: 'timeoutMs' }).fill('120000')
    await page.getByRole('textbox', { name: 'command' }).fill('ls -l')
    await button(page, 'Run').click()
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor()
    await shoot(page, 'tool-try-waiting', { again: () => approve.scrollIntoViewIfNeeded() })
    await approve.click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.locator('[data-status="exit 0"]').waitFor()
    await result.getByText('Tool message').waitFor()
    await shoot(page, 'tool-try-done', { again: () => result.evaluate((it) => it.scrollIntoView()) })
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.locator('.cm-content').waitFor()
    await page.locator('.cm-content').fill('{"command": "ls", "timeout": 1')
    await page.getByText('Not JSON').first().waitFor()
    await shoot(page, 'tool-try-json-wrong')
    await page.locator('.cm-content').fill('{"command": "while :; do date; sleep 1; done"}')
    await button(page, 'Run').click()
    await approve.click()
    await result.locator('[data-status="running"]').first().waitFor()
    await shoot(page, 'tool-try-running', { again: () => result.evaluate((it) => it.scrollIntoView()) })
    await button(page, 'Cancel').click()
    await result.getByText('try 2 of 2').waitFor()
    await result.locator('[data-status="cancelled"]').waitFor()
    await shoot(page, 'tool-try-json')
    const tries = page.getByRole('region', { name: 'Tries' })
    await shoot(page, 'tool-tries', { again: () => tries.evaluate((it) => it.scrollIntoView()) })
    await page.getByRole('tab', { name: 'Schema' }).click()
    await page.getByText('JSON Schema of the arguments').waitFor()
    await shoot(page, 'tool-schema', { again: () => page.getByRole('tab', { name: 'Schema' }).scrollIntoViewIfNeeded() })
    await page.getByRole('button', { name: 'Open as a thread' }).click()
    await row(page, 'run_command', 'done').waitFor()
    await shoot(page, 'tool-thread')
  },

  async 'tool-gone'(t, shoot) {
    const studio = await serve(t)
    const page = await open(t, `${studio.address}#/tools/mcp%2Fnowhere/search`)
    await page.getByText('There is no tool search here').waitFor()
    await shoot(page, 'tool-gone')
  },
}
