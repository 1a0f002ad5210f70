// Every dialog and form by the keyboard: where the focus goes when it opens, that it stays in, and comes back.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { tabTo } from './keys.mjs'
import { button, composer, rows, runCommand } from './thread.mjs'

after(closeBrowser)

/** What has the focus: the words a screen reader says of it. */
const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement
    const words = at?.getAttribute('aria-label') ?? at?.labels?.[0]?.innerText ?? at?.innerText ?? ''
    return words.replace(/\s+/g, ' ').trim()
  })

async function thread(t, size) {
  const path = await script(t, says('See [the notes](https://example.com/notes).'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Do one thing.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, size)
  await rows(page).filter({ hasText: 'the notes' }).waitFor()
  return { page, studio }
}

/** The dialogs of the palette: its command, its name, and what has the focus first. */
const dialogs = [
  ['Connect a model', 'Connect a model', 'Name'],
  ['Attach a server', 'Attach a server', 'Address'],
  ['Make an agent', 'Make an agent', 'Name'],
  ['Settings', 'Settings', 'General'],
  ['Settings: Notes', 'Settings', 'Notes'],
  ['Settings: MCP servers', 'Settings', 'MCP servers'],
  ['Add an MCP server', 'Add an MCP server', 'Name'],
  ['Import a thread…', 'Import a thread', 'Choose a file…'],
  ['Export thread…', 'Export “Do one thing.”', 'Callboard file'],
  ['Keyboard', 'Keyboard', 'Keys'],
  ['About Callboard', 'About Callboard', 'Copy path'],
]

test('each dialog begins at its first field, keeps the Tab key, and gives the focus back', async (t) => {
  const { page } = await thread(t)
  for (const [name, title, first] of dialogs) {
    await composer(page).focus()
    await runCommand(page, name)
    const dialog = page.getByRole('dialog', { name: title, exact: true })
    await dialog.waitFor()
    await until(`${title} to begin at ${first}`, async () => (await focused(page)).startsWith(first))
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab')
    // A guard at either end takes the focus for a moment, to hand it round.
    await until(`the focus to stay in ${title}`, () => dialog.evaluate((it) => it.contains(document.activeElement)))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await until(`the focus to come back from ${title}`, async () => (await focused(page)) === 'Message')
  }
  assert.deepEqual(page.faults, [])
})

/** The forms that hold what is written to a rule: the button that sends, what is wrong at first, and at which field. */
const forms = [
  ['Make an agent', 'Make the agent', 'Name', 'It needs a name.'],
  ['Attach a server', 'Attach', 'Address', 'It needs an address, such as http://127.0.0.1:4830.'],
]

test('a form that cannot be sent leads to the field at fault, and says there why', async (t) => {
  const { page } = await thread(t)
  for (const [name, send, field, why] of forms) {
    await runCommand(page, name)
    const box = page.getByRole('dialog').getByRole('textbox', { name: field, exact: true })
    await box.and(page.locator(':focus')).waitFor()
    await tabTo(page, button(page, send))
    await page.keyboard.press('Enter')
    await box.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    assert.equal(
      await box.evaluate((it) => document.getElementById(it.getAttribute('aria-describedby')).innerText),
      why,
    )
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  assert.deepEqual(page.faults, [])
})

test('an MCP server that is added from the settings leads to the field at fault, and back to the settings', async (t) => {
  const { page } = await thread(t)
  await page.keyboard.press('Control+,')
  await tabTo(page, button(page, 'MCP servers'))
  await page.keyboard.press('Enter')
  await tabTo(page, button(page, 'Add a server'))
  await page.keyboard.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.and(page.locator(':focus')).waitFor()
  await page.keyboard.insertText('words')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Command' }).and(page.locator('[aria-invalid=true]:focus')).waitFor()
  await tabTo(page, button(page, 'Cancel'))
  await page.keyboard.press('Enter')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.waitFor()
  await until('the focus to be in the settings', () => settings.evaluate((it) => it.contains(document.activeElement)))
  assert.deepEqual(page.faults, [])
})

test('an agent that is made leaves the focus where it was', async (t) => {
  const { page } = await thread(t)
  for (const place of ['thread', 'new thread']) {
    if (place === 'new thread') await page.keyboard.press('Control+Shift+o')
    await until(`the message of the ${place}`, async () => {
      await composer(page).focus()
      return (await focused(page)) === 'Message'
    })
    await runCommand(page, 'Make an agent')
    const dialog = page.getByRole('dialog', { name: 'Make an agent' })
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
    await name.and(page.locator(':focus')).waitFor()
    await page.keyboard.insertText(`Made in the ${place}`)
    await tabTo(page, button(page, 'Make the agent'))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await until(`the focus to come back to the ${place}`, async () => (await focused(page)) === 'Message')
  }
  assert.deepEqual(page.faults, [])
})

for (const [width, height] of [
  [900, 600],
  [480, 800],
]) {
  test(`what is chosen in the settings begins under their sections in ${width} by ${height}`, async (t) => {
    const { page } = await thread(t, { width, height })
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    const sections = dialog.getByRole('navigation', { name: 'Sections' })
    for (const name of ['Models', 'MCP servers', 'General']) {
      await button(sections, name).click()
      const heading = dialog.getByRole('heading', { name, exact: true })
      await heading.and(page.locator(':focus')).waitFor()
      const top = await heading.evaluate((it) => it.getBoundingClientRect().top)
      const bottom = await sections.evaluate((it) => it.getBoundingClientRect().bottom)
      assert.ok(top >= bottom, `${name} stands at ${top}, the sections reach to ${bottom}`)
    }
    assert.deepEqual(page.faults, [])
  })
}

test('what cannot be loaded without a connection says so, and the window stays', async (t) => {
  const { page, studio } = await thread(t)
  await page.getByText('script script.json').waitFor() // it knows the studio's state
  await studio.stop('SIGKILL')
  await page.getByText('Connection lost.').waitFor()
  await page.keyboard.press('Control+,')
  await page.getByRole('dialog', { name: 'Settings' }).getByText('could not be loaded').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await rows(page).filter({ hasText: 'the notes' }).waitFor()
  assert.deepEqual(
    page.faults.filter((fault) => fault.startsWith('thrown')),
    [],
  )
})
