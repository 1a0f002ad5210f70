// Going back: a message in other words, and the files a thread speaks of.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start } from './harness.mjs'
import { button, row, rows, unfold } from './thread.mjs'

after(closeBrowser)

test('a message edited and sent again goes to a new thread; the old one stays as it is', async (t) => {
  const path = await script(t, says('First answer.'), says('Second answer.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go left.')
  await settled(studio, run.runId, 'completed')
  const again = await studio.api('POST', '/agents/workspace/runs', { input: 'Go right.', threadId: run.threadId })
  await settled(studio, again.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  const message = rows(page).filter({ hasText: 'Go right.' })
  await message.hover()
  await message.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit and resend' }).click()
  await page.getByRole('textbox', { name: 'Edited message' }).fill('Go straight on.')
  await button(page, 'Send in a new thread').click()
  await page.waitForURL((url) => !url.hash.includes(run.threadId))
  await rows(page).filter({ hasText: 'Go straight on.' }).waitFor()
  await rows(page).filter({ hasText: 'Second answer.' }).waitFor()
  const words = await page.locator('[role=feed]').innerText()
  assert.ok(words.includes('Go left.') && words.includes('First answer.'), 'what stood before it is there')
  assert.ok(!words.includes('Go right.'), 'the message it took the place of is not')
  const { threads } = await studio.api('GET', '/threads')
  assert.equal(threads.length, 2)
  await page.goto(`${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'Go right.' }).waitFor()
  assert.deepEqual(page.faults, [])
})

test('a file that a diff names opens in a panel, as it is now', async (t) => {
  const work = await folder(t)
  await writeFile(join(work, 'main.go'), 'package main\n\nfunc main() {}\n')
  const path = await script(
    t,
    calls(['c1', 'write_file', { path: 'main.go', content: 'package main\n\nfunc run() {}\n' }]),
    says('Done.'),
  )
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Rename it.', { folder: work })
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).first().waitFor()
  if ((await settled(studio, run.runId, 'paused', 'completed')).status === 'paused')
    await button(page, 'Approve').first().click()
  await settled(studio, run.runId, 'completed')
  const line = row(page, 'write_file', 'done')
  await unfold(line)
  await line.getByRole('button', { name: 'main.go', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'main.go' })
  await panel.getByText('run').waitFor()
  assert.equal(await panel.locator('.tok-keyword').first().innerText(), 'package')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert.deepEqual(page.faults, [])
})
