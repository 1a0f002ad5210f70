// The window's menu, by the keyboard alone.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { axeFaults, layoutFaults } from '../bench/looks.mjs'
import { calls, closeBrowser, folder, open, script, serve, settled, start, until } from './harness.mjs'

after(closeBrowser)

/** What the entry says that has the keyboard; empty when none has. */
const entry = (page) => page.evaluate(() => document.activeElement?.closest('[role^="menuitem"]')?.textContent ?? '')

/** Moves within a menu until an entry of a name has the keyboard. */
async function walkTo(page, name) {
  await until(`the keyboard on ${name}`, async () => {
    const at = await entry(page)
    if (at.startsWith(name)) return true
    await page.keyboard.press('ArrowDown')
    return false
  })
}

/** Opens a menu and leaves the keyboard on its first entry. */
async function openMenu(page, menu, first) {
  await until('no menu of before', async () => (await page.getByRole('menu').count()) === 0)
  await page.keyboard.press('F10')
  await page.getByRole('menuitem', { name: 'File' }).waitFor()
  await walkTo(page, menu)
  await until(`the menu ${menu}`, async () => {
    const at = await entry(page)
    if (at.startsWith(menu)) await page.keyboard.press('ArrowRight')
    return at.startsWith(first)
  })
}

const inComposer = (page) =>
  until('the focus in the composer', () => page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA'))

test('the menu runs commands, says why others cannot run, and gives the focus back', async (t) => {
  const path = await script(t, calls(['c1', 'run_command', { command: 'true' }]))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const { threadId, runId } = await start(studio, 'Run it.')
  await settled(studio, runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${threadId}`, { colorScheme: 'light' })
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('half a sentence')

  await openMenu(page, 'View', 'Search threads and commands')
  assert.deepEqual(await axeFaults(page), [])
  assert.deepEqual(await layoutFaults(page), [])
  await walkTo(page, 'Dark theme')
  await page.keyboard.press('Enter')
  await until('the dark theme', () => page.evaluate(() => document.documentElement.dataset.theme === 'dark'))
  await inComposer(page)
  assert.equal(await composer.inputValue(), 'half a sentence')

  await openMenu(page, 'View', 'Search threads and commands')
  assert.equal(await page.getByRole('menuitemcheckbox', { name: 'Dark theme' }).getAttribute('aria-checked'), 'true')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await inComposer(page)

  await openMenu(page, 'File', 'New thread')
  const remove = page.getByRole('menuitem', { name: /Delete thread/ })
  assert.match(await remove.textContent(), /whose run has ended/)
  assert.equal(await remove.getAttribute('aria-disabled'), 'true')
  await walkTo(page, 'Settings')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor({ state: 'detached' })

  await openMenu(page, 'Run', 'Next call that waits')
  await walkTo(page, 'Stop the run')
  await page.keyboard.press('Enter')
  await settled(studio, runId, 'cancelled')
  assert.deepEqual(page.faults, [])
})

test('Help has the README, what this is, where it keeps what, and the licences of what is in it', async (t) => {
  const data = await folder(t)
  const studio = await serve(t, { data })
  const page = await open(t, studio.address, { colorScheme: 'light' })
  await inComposer(page)
  const closed = async (dialog) => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  const help = async (name) => {
    await openMenu(page, 'Help', 'Keyboard')
    await walkTo(page, name)
    await page.keyboard.press('Enter')
  }

  await help('README')
  const readme = page.getByRole('dialog', { name: 'README' })
  await readme.getByRole('heading', { name: 'Without a window' }).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  assert.deepEqual(await layoutFaults(page), [])
  await closed(readme)

  await help('About Callboard')
  const about = page.getByRole('dialog', { name: 'About Callboard' })
  await about.getByText(data, { exact: true }).waitFor()
  await about.getByRole('button', { name: 'Licences' }).press('Enter')
  const licences = page.getByRole('dialog', { name: 'Licences' })
  await licences.getByRole('searchbox').fill('modernc.org/sqlite')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await licences.getByText('Redistribution and use in source and binary forms').first().waitFor()
  assert.deepEqual(await axeFaults(page), [])
  assert.deepEqual(await layoutFaults(page), [])
  await closed(licences)
  await about.getByRole('button', { name: 'Licences' }).and(page.locator(':focus')).waitFor()
  await closed(about)
  await inComposer(page)
  assert.deepEqual(page.faults, [])
})
