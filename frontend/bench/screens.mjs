// Photographs every screen, light and dark, in a wide and a narrow window, and some at 200 % zoom, into test-results/screens. A screen
// fails on what does not fit, on text over text, on a fault axe finds, and on an error in the console. Needs the built program;
// the arguments, if any, are parts of the names of the screens to take.
import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { gallery } from '../e2e/gallery.mjs'
import { closeBrowser, open, results, serve, until } from '../e2e/harness.mjs'
import { button, row, rows } from '../e2e/thread.mjs'
import { axeFaults, layoutFaults } from './looks.mjs'
import { answered, failed, gated, handedOver, kept, long, nothingYet, secretive, worked } from './scenes.mjs'

after(closeBrowser)

const folder = join(results, 'screens')
const wide = { width: 1280, height: 800 }
const narrow = { width: 900, height: 600 }
/** What a window of 1280 px shows at 200 %. */
const zoomed = { width: 640, height: 400 }
const wanted = process.argv.slice(2)

await mkdir(folder, { recursive: true })
if (wanted.length === 0) await rm(folder, { recursive: true }).then(() => mkdir(folder))

/** Takes a screen in both themes and all sizes. `again` puts it up in each, where it does not stay. */
async function shoot(page, name, { sizes = [wide, narrow], again = () => undefined, forgive = /^$/ } = {}) {
  /** Where each fault was seen. */
  const faults = new Map()
  for (const size of sizes) {
    await page.setViewportSize(size)
    await page.waitForTimeout(300)
    await again()
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await until('the theme', () =>
        page.evaluate((theme) => document.documentElement.dataset.theme === theme, colorScheme),
      )
      await page.waitForTimeout(250)
      const where = `${size.width}x${size.height}-${colorScheme}`
      await page.screenshot({ path: join(folder, `${name}-${where}.png`), animations: 'disabled' })
      for (const fault of [...(await layoutFaults(page)), ...(await axeFaults(page))]) {
        faults.set(fault, [...(faults.get(fault) ?? []), where])
      }
    }
  }
  for (const fault of page.faults) if (!forgive.test(fault)) faults.set(fault, ['console'])
  page.faults.length = 0
  await page.setViewportSize(wide)
  const lines = [...faults].map(([fault, where]) => `\n  ${fault} (${where.join(', ')})`)
  if (lines.length > 0) throw new Error(`${name}:${lines.join('')}`)
}

/** A screen by its name, if it is wanted. */
function screen(name, take) {
  const skip = wanted.length > 0 && !wanted.some((part) => name.includes(part))
  test(name, { skip }, take)
}

const all = [wide, narrow, zoomed]
const inspected = async (page, tab) => {
  if ((await page.getByRole('tab', { name: tab }).count()) === 0) await page.keyboard.press('Control+i')
  await page.getByRole('tab', { name: tab }).click()
}

screen('first-run', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  await shoot(page, 'first-run', { sizes: all })
})

screen('attach', async (t) => {
  const there = await serve(t)
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await page.getByRole('button', { name: 'Attach to a server' }).click()
  const address = page.getByRole('textbox', { name: 'Address' })
  await address.fill('http://127.0.0.1:9')
  await page.getByRole('textbox', { name: 'Name' }).fill('studio')
  await button(page, 'Attach').click()
  await page.getByText('nothing listens there').first().waitFor()
  await shoot(page, 'attach-failed', { sizes: all })
  await address.fill(String(there.address))
  await button(page, 'Save and test').click()
  await page.getByText('it has 2 agents').waitFor()
  await shoot(page, 'attach-works', { sizes: all })
  await button(page, 'New thread with demo').click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Move the greeter to port 9090.')
  await shoot(page, 'attach-new-thread', { sizes: all })
  await button(page, 'Send').click()
  await row(page, 'run_command', 'waiting').waitFor()
  await there.stop('SIGKILL')
  await page.getByText('Connection to studio lost, trying again').waitFor()
  await shoot(page, 'attach-lost', { sizes: all })
})

screen('threads-none', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await page.getByText('No threads yet.').waitFor()
  await page.getByRole('searchbox', { name: 'Search threads' }).fill('nowhere')
  await page.getByText('Nothing matches').waitFor()
  await shoot(page, 'threads-none')
})

screen('thread-empty', async (t) => {
  const { page } = await nothingYet(t)
  await shoot(page, 'thread-empty', { sizes: all })
})

screen('thread-one', async (t) => {
  const { page } = await answered(t)
  await shoot(page, 'thread-one', { sizes: all })
})

screen('thread-handoff', async (t) => {
  const { page } = await gated(t, handedOver())
  await page.getByRole('heading', { name: 'Handed over to writer' }).waitFor()
  await shoot(page, 'thread-handoff')
})

screen('thread-structured', async (t) => {
  const { structured } = await gallery(t)
  const { page } = await gated(t, structured)
  await page.getByRole('feed').getByRole('group', { name: 'Structured output' }).waitFor()
  await inspected(page, 'Timeline')
  await shoot(page, 'thread-structured', { sizes: all })
})

screen('thread-inside', async (t) => {
  const { inside } = await gallery(t)
  const { page } = await gated(t, inside)
  await row(page, 'upload', 'waiting').waitFor()
  await shoot(page, 'thread-inside')
})

screen('thread-10000', async (t) => {
  const { page } = await gated(t, long(10_000))
  await row(page, 'tool_9').last().waitFor()
  await shoot(page, 'thread-10000')
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in thread' }).fill('"of":"c9998"')
  await page.getByText('1 of 1').waitFor()
  await shoot(page, 'thread-10000-found')
})

screen('states', async (t) => {
  const { states } = await gallery(t)
  const { page, door } = await gated(t, states)
  await row(page, 'run_command', 'waiting').waitFor()
  await shoot(page, 'states', { sizes: all })
  await page.getByRole('feed').evaluate((feed) => feed.scrollTo(0, 0))
  await shoot(page, 'states-top', { sizes: all })
  assert.equal(door.count(), states.length)
})

screen('states-written', async (t) => {
  const { states } = await gallery(t)
  const writing = states.findIndex((line) => line.includes('tool-call-delta')) + 1
  const { page } = await gated(t, states, writing)
  await rows(page).first().waitFor()
  await shoot(page, 'states-written')
})

screen('kinds', async (t) => {
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
})

screen('approval', async (t) => {
  const { page } = await worked(t)
  await row(page, 'run_command', 'waiting').first().waitFor()
  await shoot(page, 'approval', { sizes: all })
  await button(page, 'Edit arguments').first().click()
  await page.getByRole('tab', { name: 'JSON' }).first().click()
  await page.locator('.cm-content').first().waitFor()
  await shoot(page, 'approval-edit-json')
  await page.getByRole('tab', { name: 'Form' }).first().click()
  await shoot(page, 'approval-edit-form', { sizes: all })
  await page.keyboard.press('Escape')
})

screen('approval-deny', async (t) => {
  const { page } = await worked(t)
  await button(page, 'Deny…').first().click()
  await page.getByRole('textbox', { name: /reason/i }).first().waitFor()
  await shoot(page, 'approval-deny')
})

screen('rules', async (t) => {
  const { page } = await worked(t)
  await button(page, 'Always allow…').first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save and approve' }).waitFor()
  await shoot(page, 'rules-dialog', { sizes: all })
})

screen('inbox', async (t) => {
  const { page } = await worked(t)
  await page.keyboard.press('Control+j')
  await page.getByRole('dialog', { name: 'Waiting for you' }).getByRole('article').first().waitFor()
  await shoot(page, 'inbox', { sizes: all })
})

screen('settings', async (t) => {
  const { page, studio } = await answered(t)
  await studio.api('POST', '/studio/rules', {
    toolName: 'run_command',
    name: 'go test',
    conditions: [{ path: 'command', op: 'pattern', value: 'go test *' }],
  })
  await page.keyboard.press('Control+j')
  await page.getByText('Nothing waits for you.').waitFor()
  await shoot(page, 'inbox-empty')
  await page.keyboard.press('Control+j')
  await page.keyboard.press('Control+,')
  await page.getByText('go test').first().waitFor()
  await shoot(page, 'settings', { sizes: all })
  await page.getByRole('button', { name: /^(Add|Connect)/ }).first().click()
  await page.getByRole('textbox', { name: /address|URL/i }).first().waitFor()
  await shoot(page, 'provider')
})

screen('settings-sections', async (t) => {
  const { page } = await kept(t)
  for (const name of ['Tool sets', 'MCP servers', 'Sandbox', 'Schedules', 'Notes']) {
    await shoot(page, `settings-${name.toLowerCase().replace(' ', '-')}`, {
      sizes: all,
      again: async () => {
        if ((await page.getByRole('dialog').count()) === 0) await page.keyboard.press('Control+,')
        await button(page, name).click()
      },
    })
  }
  const box = page.getByRole('region', { name: 'Sandbox', exact: true })
  await box.getByRole('combobox', { name: 'Commands run' }).click()
  await page.getByRole('option', { name: /^In Docker/ }).click()
  await box.getByRole('textbox', { name: 'Image' }).waitFor()
  await shoot(page, 'settings-sandbox-docker', { sizes: all, again: () => button(page, 'Sandbox').click() })
  const servers = page.getByRole('region', { name: 'MCP servers', exact: true })
  await servers.getByText('failed', { exact: true }).waitFor()
  await servers.getByRole('button', { name: /^\d+ tools/ }).click()
  await button(servers, 'Test').nth(1).click()
  await servers.getByRole('status').getByText('Failed').waitFor()
  await shoot(page, 'settings-mcp-tested', { sizes: all, again: () => button(page, 'MCP servers').click() })
  await button(servers, 'Edit').nth(1).click()
  await page.getByRole('textbox', { name: 'Command' }).waitFor()
  await shoot(page, 'settings-mcp-form', { sizes: all })
})

screen('inspector', async (t) => {
  const { page } = await worked(t)
  await row(page, 'read_file').first().focus()
  for (const tab of ['Timeline', 'Call', 'Raw', 'Events', 'History']) {
    await shoot(page, `inspector-${tab.toLowerCase()}`, {
      sizes: tab === 'Timeline' || tab === 'Call' ? all : [wide, narrow],
      again: async () => {
        await inspected(page, tab)
        await page.waitForTimeout(400)
      },
    })
  }
})

screen('playback', async (t) => {
  const { page } = await worked(t)
  await button(page, 'Play back (P)').click()
  await page.getByRole('slider', { name: 'Event' }).waitFor()
  await shoot(page, 'playback', { sizes: all })
  await page.keyboard.press('Home')
  for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight')
  await shoot(page, 'playback-middle')
})

screen('palette', async (t) => {
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
  await shoot(page, 'keyboard', { sizes: all })
})

screen('about', async (t) => {
  const { page } = await answered(t)
  const choose = async (name) => {
    await page.keyboard.press('F10')
    await page.getByRole('menuitem', { name: 'Help' }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('menu').first().waitFor({ state: 'detached' })
  }
  const closed = async (name) => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' })
  }
  await choose('About Callboard')
  await page.getByRole('dialog', { name: 'About Callboard' }).getByRole('button', { name: 'Licences' }).waitFor()
  await shoot(page, 'about', { sizes: all })
  await closed('About Callboard')
  await choose('Licences')
  await page.getByRole('button', { name: /^clsx/ }).click()
  await shoot(page, 'about-licences', { sizes: all })
  await closed('Licences')
  await choose('README')
  await page.getByRole('dialog', { name: 'README' }).getByRole('heading').first().waitFor()
  await shoot(page, 'about-readme', { sizes: all })
})

screen('share', async (t) => {
  const { page } = await secretive(t)
  const dialog = page.getByRole('dialog', { name: /^Export/ })
  const show = async () => {
    if ((await dialog.count()) > 0) return
    await button(page, 'Thread actions').click()
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await dialog.getByRole('checkbox', { name: 'Mask secrets' }).waitFor()
  }
  await shoot(page, 'share-export', { sizes: all, again: show })
  await dialog.getByRole('checkbox', { name: 'Mask secrets' }).check()
  await dialog.getByRole('textbox', { name: 'Mask these words too' }).fill('Falcon')
  await page.keyboard.press('Enter')
  await dialog.getByRole('region', { name: 'word of your own' }).waitFor()
  await dialog.getByRole('checkbox', { name: /^Mask: value named/ }).first().uncheck()
  await shoot(page, 'share-redacted', { sizes: all })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await button(page, 'Import a thread…').click()
  await page.getByRole('dialog', { name: 'Import a thread' }).waitFor()
  await shoot(page, 'share-import', { sizes: all })
  await page.getByLabel('The thread’s file').setInputFiles({ name: 'a photo.callboard', mimeType: '', buffer: Buffer.from('GIF89a') })
  await page.getByRole('alert').waitFor()
  await shoot(page, 'share-import-failed', { sizes: all, forgive: /400/ })
  await page.keyboard.press('Escape')
})

screen('search', async (t) => {
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
  await shoot(page, 'search', { sizes: all })
  await show('?q=half&state=dropped&tool=write_file&time=range&from=2020-01-01', /\d+ found/)
  await shoot(page, 'search-narrowed', { sizes: all })
  await show('?q=nowhere', 'Nothing matches ‘nowhere’')
  await shoot(page, 'search-nothing')
  await show('?q=half', /\d+ found/)
  await page.locator('[data-hit]').first().click()
  await page.getByText('Why it was dropped').waitFor()
  await shoot(page, 'search-led', { sizes: [wide] })
})

screen('failed', async (t) => {
  const { page } = await failed(t)
  await shoot(page, 'failed', { sizes: all })
})

screen('lost', async (t) => {
  const { page, studio } = await worked(t)
  await studio.stop('SIGKILL')
  await page.getByText('Connection lost.').waitFor()
  await shoot(page, 'lost', { forgive: /Failed to load resource|ERR_/ })
})

screen('no-such-thread', async (t) => {
  const studio = await serve(t)
  const page = await open(t, `${studio.address}#/t/none`)
  await page.getByText('There is no such thread').waitFor()
  await shoot(page, 'no-such-thread', { forgive: /Failed to load resource/ })
})

screen('tools', async (t) => {
  const { studio } = await kept(t)
  const page = await open(t, `${studio.address}#/tools`)
  await page.getByRole('region', { name: 'Workspace' }).waitFor()
  await page.getByText('Start again').waitFor()
  await shoot(page, 'tools', { sizes: all })
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('nowhere')
  await page.getByText('Nothing matches').waitFor()
  await shoot(page, 'tools-nothing')
})

screen('tool-try', async (t) => {
  const { studio } = await answered(t)
  const page = await open(t, `${studio.address}#/tools/workspace/run_command`)
  await page.getByText('Still needed: command').waitFor()
  await shoot(page, 'tool-try', { sizes: all })
  await page.getByRole('textbox', { name: 'timeoutMs' }).fill('1e')
  await page.getByText('Not a number.').waitFor()
  await shoot(page, 'tool-try-wrong')
  await page.getByRole('textbox', { name: 'timeoutMs' }).fill('120000')
  await page.getByRole('textbox', { name: 'command' }).fill('ls -l')
  await button(page, 'Run').click()
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  await approve.waitFor()
  await shoot(page, 'tool-try-waiting', { sizes: all, again: () => approve.scrollIntoViewIfNeeded() })
  await approve.click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.locator('[data-status="exit 0"]').waitFor()
  await result.getByText('Tool message').waitFor()
  await shoot(page, 'tool-try-done', { sizes: all, again: () => result.evaluate((it) => it.scrollIntoView()) })
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.locator('.cm-content').waitFor()
  await button(page, 'Run').click()
  await button(page, 'Cancel').click()
  await result.getByText('try 2 of 2').waitFor()
  await result.locator('[data-status="cancelled"]').waitFor()
  await shoot(page, 'tool-try-json', { sizes: all })
  const tries = page.getByRole('region', { name: 'Tries' })
  await shoot(page, 'tool-tries', { sizes: all, again: () => tries.evaluate((it) => it.scrollIntoView()) })
  await page.getByRole('tab', { name: 'Schema' }).click()
  await page.getByText('JSON Schema of the arguments').waitFor()
  await shoot(page, 'tool-schema', { sizes: all, again: () => page.getByRole('tab', { name: 'Schema' }).scrollIntoViewIfNeeded() })
  await page.getByRole('button', { name: 'Open as a thread' }).click()
  await row(page, 'run_command', 'done').waitFor()
  await shoot(page, 'tool-thread', { sizes: all })
})

screen('tool-gone', async (t) => {
  const studio = await serve(t)
  const page = await open(t, `${studio.address}#/tools/mcp%2Fnowhere/search`)
  await page.getByText('There is no tool search here').waitFor()
  await shoot(page, 'tool-gone', { sizes: all })
})
