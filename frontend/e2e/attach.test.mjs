// Servers of the protocol, attached: a program of one's own, and another studio.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { example } from './example.mjs'
import { calls, closeBrowser, folder, open, says, script, serve, settled, until } from './harness.mjs'
import { button, composer, row, rows, runCommand, toRead } from './thread.mjs'

after(closeBrowser)

const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? '')

test('a program of one’s own is attached and run without a mouse, and its thread outlives it', async (t) => {
  const weather = await example(t, 'weather')
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await composer(page).waitFor()
  await runCommand(page, 'Attach a server')
  const dialog = page.getByRole('dialog', { name: 'Attach a server' })
  await dialog.getByRole('textbox', { name: 'Address' }).waitFor()
  await page.keyboard.insertText(weather.address)
  await page.keyboard.press('Enter')
  await dialog.getByText('it has 1 agent and 1 tool.').waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await until('the focus on what follows', async () => (await focused(page)) === 'New thread with weather')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await composer(page).focus()
  await page.keyboard.insertText('How is the weather in Oslo?')
  await page.keyboard.press('Enter')
  await row(page, 'get_weather', 'done').waitFor()
  await rows(page).filter({ hasText: 'It is snowing in Oslo' }).waitFor()
  const [thread] = (await studio.api('GET', '/threads')).threads
  await settled(studio, thread.runId, 'completed')
  const before = await rows(page).allInnerTexts()

  await weather.kill()
  await page.reload()
  await toRead(page, before)
  await button(page, 'Play back (P)').click()
  const bar = page.getByRole('region', { name: 'Playback' })
  await bar.getByText(/event \d+ of/).waitFor()
  await toRead(page, before, 'at its last event a run looks as it did')
  await button(page, 'Back to live (P)').click()

  await composer(page).fill('And in Lima?')
  await page.keyboard.press('Enter')
  await page.getByText('nothing listens there').first().waitFor()
  assert.equal(await composer(page).inputValue(), 'And in Lima?')
  assert.deepEqual(
    page.faults.filter((fault) => !fault.includes('502')),
    [],
  )
})

test('a call of another studio waits in the card here, and runs there once it is approved', async (t) => {
  const work = await folder(t)
  const path = await script(t, calls(['c1', 'run_command', { command: 'echo ran > ran.txt' }]), says('That is all.'))
  const there = await serve(t, { args: ['--script', path, '--folder', work] })
  const studio = await serve(t, { args: ['--attach', String(there.address)] })
  const name = there.address.host
  const page = await open(t, studio.address)
  await composer(page).waitFor()
  await page.keyboard.press('Control+,')
  const section = page.getByRole('region', { name: 'Attached servers' })
  await section.getByRole('button', { name: 'Test' }).click()
  await section.getByText(/it has 2 agents and \d+ tools/).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await page.keyboard.press('Escape')
  const agent = `workspace@${name}`
  const { id } = await studio.api('POST', '/studio/threads', { agentName: agent })
  const run = await studio.api('POST', `/agents/${encodeURIComponent(agent)}/runs`, { input: 'Run it.', threadId: id })
  await settled(studio, run.runId, 'paused')
  await page.evaluate((hash) => (location.hash = hash), `#/t/${id}`)
  const card = row(page, 'run_command', 'waiting')
  await card.getByText('echo ran > ran.txt').first().waitFor()
  assert.equal(await button(card, 'Always allow…').count(), 0, 'rules here are for what runs here')
  await button(card, 'Approve').click()
  await row(page, 'run_command', 'done').waitFor()
  await rows(page).filter({ hasText: 'That is all.' }).waitFor()
  await settled(studio, run.runId, 'completed')
  const theirs = await there.api('GET', `/threads/${id}`)
  assert.equal(theirs.messages.at(-1).content, 'That is all.')
  assert.ok(!(await studio.api('GET', '/studio/state')).attached[0].url.includes('token'))
  assert.deepEqual(page.faults, [])
})
