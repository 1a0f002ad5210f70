import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, row, rows } from './thread.mjs'

after(closeBrowser)

/** A studio whose model asks to run one command, in a folder of its own, and a page on its waiting run. */
async function waiting(t, args = { command: 'echo ran >> ran.txt' }) {
  const work = await folder(t)
  const path = await script(t, calls(['c1', 'run_command', args]), says('That is all.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Run it.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await row(page, 'run_command', 'waiting').waitFor()
  return { work, studio, run, page, path, ran: () => readFile(join(work, 'ran.txt'), 'utf8').catch(() => '') }
}

/** What the model was told of the call. */
function told(answer) {
  return answer.events.find((event) => event.type === 'tool-result')
}

test('a denied command does not run, and the model reads the reason', async (t) => {
  const { studio, run, page, ran } = await waiting(t)
  await button(page, 'Deny…').first().click()
  await page
    .getByRole('textbox', { name: /reason/i })
    .first()
    .fill('wrong folder')
  await page
    .getByRole('button', { name: /^deny$/i })
    .first()
    .click()
  await row(page, 'run_command', 'denied').waitFor()
  assert.match(await row(page, 'run_command').innerText(), /denied/)
  const answer = await settled(studio, run.runId, 'completed')
  const result = told(answer)
  assert.equal(result.errorCode, 'TOOL_DENIED')
  assert.match(JSON.stringify(result), /wrong folder/)
  assert.equal(await ran(), '', 'nothing ran')
  const { messages } = await studio.api('GET', `/threads/${run.threadId}`)
  assert.equal(JSON.stringify(messages).match(/wrong folder/g)?.length > 0, true)
  assert.deepEqual(page.faults, [])
})

test('an edited command runs as edited; an edit that does not fit keeps waiting', async (t) => {
  const { studio, run, page, ran } = await waiting(t)
  await button(page, 'Edit arguments').first().click()
  await page.getByRole('tab', { name: 'JSON' }).first().click()
  const editor = page.locator('.cm-content').first()
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"command": 5}')
  await page
    .getByRole('button', { name: /approve/i })
    .first()
    .click()
  await page
    .getByText(/command/i)
    .first()
    .waitFor()
  assert.equal((await studio.api('GET', '/approvals')).approvals.length, 1, 'it still waits')
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"command": "echo edited >> ran.txt"}')
  await page
    .getByRole('button', { name: /approve/i })
    .first()
    .click()
  await row(page, 'run_command', 'done').waitFor()
  await settled(studio, run.runId, 'completed')
  assert.equal(await ran(), 'edited\n')
  page.faults.splice(0, page.faults.length, ...page.faults.filter((fault) => !fault.includes('400')))
  assert.deepEqual(page.faults, [])
})

test('a card decided in another window closes here and says so', async (t) => {
  const { studio, run, page, ran } = await waiting(t)
  const [approval] = (await studio.api('GET', '/approvals')).approvals
  await studio.api('POST', `/approvals/${approval.approvalId}/decision`, {
    approved: true,
    argumentsHash: approval.argumentsHash,
  })
  await row(page, 'run_command', 'done').waitFor()
  await until('the buttons to go', async () => (await button(page, 'Approve').count()) === 0)
  await settled(studio, run.runId, 'completed')
  assert.equal(await ran(), 'ran\n')
  assert.deepEqual(page.faults, [])
})

test('killed while it waits, opened again, approved: the command runs once and the thread goes on', async (t) => {
  const before = await waiting(t)
  const texts = await rows(before.page).allInnerTexts()
  await before.page.close()
  assert.equal((await before.studio.stop('SIGKILL')).signal, 'SIGKILL')

  const studio = await serve(t, { data: before.studio.dir, args: ['--script', before.path, '--folder', before.work] })
  const page = await open(t, `${studio.address}#/t/${before.run.threadId}`)
  await row(page, 'run_command', 'waiting').waitFor()
  assert.equal((await rows(page).allInnerTexts()).length, texts.length, 'the same rows')
  await button(page, 'Approve').first().click()
  await row(page, 'run_command', 'done').waitFor()
  await settled(studio, before.run.runId, 'completed')
  assert.equal(await before.ran(), 'ran\n')
  await rows(page).last().getByText('That is all.').waitFor()
  assert.deepEqual(page.faults, [])
  assert.deepEqual(await studio.stop(), { status: 0, signal: null })
})

test('killed while a command runs, opened again: it is unknown, and runs again only when told to', async (t) => {
  const work = await folder(t)
  await writeFile(join(work, 'slow.sh'), 'echo ran >> ran.txt; [ "$(wc -l < ran.txt)" -gt 1 ] || sleep 60\n')
  const path = await script(t, calls(['c1', 'run_command', { command: 'sh slow.sh' }]), says('Done.'))
  const args = ['--script', path, '--folder', work]
  const first = await serve(t, { args })
  const run = await start(first, 'Run it.')
  await settled(first, run.runId, 'paused')
  const [approval] = (await first.api('GET', '/approvals')).approvals
  await first.api('POST', `/approvals/${approval.approvalId}/decision`, {
    approved: true,
    argumentsHash: approval.argumentsHash,
  })
  const ran = () => readFile(join(work, 'ran.txt'), 'utf8').catch(() => '')
  await until('the command to run', async () => (await ran()) === 'ran\n')
  await first.stop('SIGKILL')

  const studio = await serve(t, { data: first.dir, args })
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await row(page, 'run_command', 'unknown').waitFor()
  assert.equal(await ran(), 'ran\n', 'it did not run again by itself')
  await page
    .getByRole('button', { name: /run (it )?again/i })
    .first()
    .click()
  await row(page, 'run_command', 'done').waitFor()
  await settled(studio, run.runId, 'completed')
  assert.equal(await ran(), 'ran\nran\n')
  assert.deepEqual(page.faults, [])
})
