// What a person sees and does of calls that wait: everything that will run, in a list of all threads, in a form, by a rule.
import assert from 'node:assert/strict'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { decisions, putForward, restOver, stopClock } from './clock.mjs'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, row, unfold } from './thread.mjs'

after(closeBrowser)

/** A studio whose model speaks the given turns, in a folder of its own. */
async function studioOf(t, ...turns) {
  const work = await folder(t)
  const path = await script(t, ...turns)
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const read = (name) => readFile(join(work, name), 'utf8').catch(() => '')
  return { work, studio, read }
}

/** Starts a run that comes to wait. */
async function pausedRun(studio, input = 'Run it.') {
  const run = await start(studio, input)
  await settled(studio, run.runId, 'paused')
  return run
}

const command = (id, text) => [id, 'run_command', { command: text }]
const inbox = (page) => page.getByRole('dialog', { name: 'Waiting for you' })
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
const entries = (page) => inbox(page).getByRole('article')

/** The text field in which a reason is written, once it has the focus. */
const reason = (page) => page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus'))

test('C12: what hides in a command is marked, and nothing of it is out of sight', async (t) => {
  const hidden = `{"command":"echo \\u202esafe\\u200b\\u001b[31m${' '.repeat(500)}; rm -rf nothing"}`
  const { studio } = await studioOf(t, calls(['c1', 'run_command', hidden]), says('Done.'))
  const run = await pausedRun(studio)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  const group = page.getByRole('group', { name: /^Approval: / })
  const args = group.getByRole('group', { name: 'Arguments', exact: true })
  await args.waitFor()
  assert.match(await args.innerText(), /echo \\u202esafe\\u200b\\u001b\[31m⟨500 spaces⟩; rm -rf nothing/)
  const marks = await args.locator('mark').allInnerTexts()
  assert.deepEqual(marks, ['\\u202e', '\\u200b', '\\u001b', '⟨500 spaces⟩'])
  const overflow = await args.evaluate((box) => box.scrollWidth - box.clientWidth)
  assert.equal(overflow, 0, 'nothing is beside the card')
  assert.deepEqual(page.faults, [])
})

test('C13: three kilobytes of arguments are approved only once their end was on the screen', async (t) => {
  const long = Array.from({ length: 100 }, (_, at) => `echo "line ${at} of a long script" >> ran.txt`).join('\n')
  const { studio, read } = await studioOf(t, calls(command('c1', long)), says('Done.'))
  const run = await pausedRun(studio)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  const group = page.getByRole('group', { name: /^Approval: / })
  const approve = group.getByRole('button', { name: 'Approve', exact: true })
  await group.getByText('Scroll to the end of the arguments').waitFor()
  assert.equal(await approve.isDisabled(), true)
  const decided = decisions(page)
  await row(page, 'run_command').focus()
  await putForward(page, 10_000)
  await page.keyboard.press('a')
  await group.getByRole('group', { name: 'Arguments', exact: true }).focus()
  await page.keyboard.press('End')
  await until('the button to work', async () => await approve.isEnabled())
  assert.deepEqual(decided, [], 'the key was dead too')
  await approve.click()
  await settled(studio, run.runId, 'completed')
  assert.equal((await read('ran.txt')).trim().split('\n').length, 100)
  assert.deepEqual(page.faults, [])
})

test('C14, C15, C20: a rule allows what it says, names itself, and a chained command still asks', async (t) => {
  const { work, studio, read } = await studioOf(
    t,
    calls(command('c1', 'echo one >> ran.txt')),
    calls(command('c2', 'echo two'), command('c3', 'echo three; touch evil')),
    says('Done.'),
  )
  const run = await pausedRun(studio)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await button(page, 'Always allow…').click()
  const dialog = page.getByRole('dialog', { name: /^Always allow/ })
  await dialog.getByText('Allows run_command').waitFor()
  assert.match(await dialog.innerText(), /when command is "echo one >> ran\.txt"/)
  await dialog.getByRole('combobox', { name: 'command: what it must be' }).click()
  await page.getByRole('option', { name: 'fits the pattern' }).click()
  await dialog.getByRole('textbox', { name: 'command: the pattern' }).fill('echo *')
  await dialog.getByText('fits the pattern "echo *"').waitFor()
  await dialog.getByText('It would have allowed 0 of 1 past call.').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('only echo')
  await until('the rule to be looked at', () => button(page, 'Save and approve').isEnabled())
  await button(page, 'Save and approve').click()

  const chained = page.locator('[data-call-id="c3"][data-state="waiting"]')
  await chained.waitFor()
  assert.equal(await read('ran.txt'), 'one\n')
  assert.match(await chained.innerText(), /echo three; touch evil/)
  await button(page, 'Deny…').first().click()
  await page.getByRole('textbox', { name: 'Reason' }).first().fill('no')
  await page.keyboard.press('Enter')
  const answer = await settled(studio, run.runId, 'completed')
  const approved = answer.events.find((event) => event.toolCallId === 'c2' && event.state === 'approved')
  assert.equal(approved?.by, 'rule:only echo')
  const allowed = page.locator('[data-call-id="c2"]')
  await allowed.getByText('approved by rule: only echo').waitFor()
  await assert.rejects(access(join(work, 'evil')))

  await page.getByRole('button', { name: /^Settings/ }).click()
  const rules = page.getByRole('region', { name: 'Rules' })
  await rules.getByText('used 1 time').waitFor()
  await rules.getByRole('checkbox').click()
  await until('the rule to be off', async () => !(await studio.api('GET', '/studio/rules')).rules[0].enabled)
  await rules.getByRole('button', { name: 'Delete only echo' }).click()
  await rules.getByRole('button', { name: 'Delete', exact: true }).click()
  await rules.getByText('No rules.').waitFor()
  assert.deepEqual((await studio.api('GET', '/studio/rules')).rules, [])
  assert.deepEqual(page.faults, [])
})

test('the list of what waits is worked through by the keyboard alone', async (t) => {
  const { studio, read } = await studioOf(t, calls(command('c1', 'echo ran >> ran.txt')), says('Done.'))
  const first = await pausedRun(studio, 'The first')
  const second = await pausedRun(studio, 'The second')
  const third = await pausedRun(studio, 'The third')
  const page = await open(t, studio.address)
  await page.getByRole('button', { name: 'Waiting for you: 3 (Ctrl J)' }).waitFor()
  const decided = decisions(page)
  await stopClock(page)
  await page.keyboard.press('Control+j')
  await entries(page).first().waitFor()
  await until('the focus on the first', async () => /The first/.test(await focused(page)))
  assert.match((await entries(page).allInnerTexts()).join('\n'), /The first[\s\S]*The second[\s\S]*The third/)
  await page.keyboard.press('a')
  await restOver(page, inbox(page))
  assert.equal(decided.length, 0, 'a key that was not meant for it')
  await page.keyboard.press('a')
  await until('one to be decided', async () => (await entries(page).count()) === 2)
  await until('the focus on the second', async () => /The second/.test(await focused(page)))
  await page.keyboard.press('a')
  await settled(studio, first.runId, 'completed')
  await restOver(page, inbox(page))
  assert.equal(decided.length, 1, 'the next one rests')
  await page.keyboard.press('d')
  await reason(page).waitFor()
  await page.keyboard.type('not now')
  await page.keyboard.press('Enter')
  await settled(studio, second.runId, 'completed')
  await until('one to be left', async () => (await entries(page).count()) === 1)
  await page.keyboard.press('g')
  await row(page, 'run_command', 'waiting').waitFor()
  await until('the focus to be on its row', () =>
    page.evaluate(() => document.activeElement?.getAttribute('data-call-id') === 'c1'),
  )
  assert.match(page.url(), new RegExp(`#/t/${third.threadId}`))
  assert.equal(await read('ran.txt'), 'ran\n')
  assert.deepEqual(page.faults, [])
})

test('C16: all that are listed and read are approved, and one that came meanwhile waits', async (t) => {
  const { studio, read } = await studioOf(t, calls(command('c1', 'echo ran >> ran.txt')), says('Done.'))
  for (const input of ['One', 'Two', 'Three']) await pausedRun(studio, input)
  const page = await open(t, studio.address)
  await page.getByRole('button', { name: 'Waiting for you: 3 (Ctrl J)' }).click()
  await entries(page).first().waitFor()
  const all = inbox(page).getByRole('button', { name: /^Approve all/ })
  assert.equal(await all.isDisabled(), true)
  for (const read of ['1 of 3 read to the end', '2 of 3 read to the end']) {
    await inbox(page).getByText(read).waitFor()
    await page.keyboard.press('j')
  }
  await until('all to be read', () => all.isEnabled())
  await pausedRun(studio, 'Four')
  await inbox(page).getByText('3 of 4 read to the end').waitFor()
  assert.equal(await all.isDisabled(), true, 'the fourth was not read')
  await page.keyboard.press('End')
  await until('all four to be read', () => all.isEnabled())
  await all.click()
  await inbox(page).getByText('Nothing waits for you.').waitFor()
  await until('all to have run', async () => (await read('ran.txt')) === 'ran\n'.repeat(4))
  assert.deepEqual(page.faults, [])
})

test('C18, C7: of two calls one is approved while the other is edited in a form; a fault stands at its field', async (t) => {
  const { studio, read } = await studioOf(
    t,
    calls(command('c1', 'echo first >> ran.txt'), command('c2', 'echo second >> ran.txt')),
    says('Done.'),
  )
  const run = await pausedRun(studio)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  const card = (id) => page.locator(`[data-call-id="${id}"]`).getByRole('group', { name: /^Approval: / })
  await card('c2').getByRole('button', { name: 'Edit arguments' }).click()
  const timeout = card('c2').getByRole('textbox', { name: 'timeoutMs' })
  await timeout.fill('1e')
  await card('c2').getByText('Not a number.').waitFor()
  assert.equal(await card('c2').getByRole('button', { name: 'Approve edited' }).isDisabled(), true)
  await timeout.fill('-5')
  await card('c2').getByText('-5 is less than 1.').waitFor()
  await card('c1').getByRole('button', { name: 'Approve', exact: true }).click()
  await row(page, 'run_command', 'approved').waitFor()
  assert.equal(await timeout.inputValue(), '-5', 'the other form is as it was')
  await timeout.fill('1e4')
  await card('c2').getByRole('textbox', { name: 'command' }).fill('echo "edited\tin a form" >> ran.txt')
  await card('c2').getByRole('button', { name: 'Approve edited' }).click()
  const answer = await settled(studio, run.runId, 'completed')
  assert.equal(await read('ran.txt'), 'first\nedited\tin a form\n')
  const ran = answer.events.find((event) => event.type === 'tool-update' && event.argumentsText)
  assert.match(ran.argumentsText, /"timeoutMs": 1e4/)
  const told = page.locator('[data-call-id="c2"]')
  await unfold(told)
  await told.getByText('edited', { exact: false }).first().waitFor()
  assert.deepEqual(page.faults, [])
})

test('I7, B16: arguments edited as JSON are as they are typed, digit by digit', async (t) => {
  const { studio } = await studioOf(t, calls(command('c1', 'true')), says('Done.'))
  const run = await pausedRun(studio)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await button(page, 'Edit arguments').first().click()
  await page.getByRole('tab', { name: 'JSON' }).first().click()
  const editor = page.locator('.cm-content').first()
  await editor.click()
  await page.keyboard.press('Control+a')
  const typed = '{"command":"printf \'a\\nb\'", "timeoutMs": 6000, "note": [1.0, 1e400, 2512292042121000001]}'
  for (const character of typed) await page.keyboard.type(character)
  assert.equal(await editor.innerText(), typed)
  await page.getByRole('tab', { name: 'Form' }).first().click()
  const note = page.getByRole('textbox', { name: 'note' }).first()
  assert.equal(await note.inputValue(), '[1.0, 1e400, 2512292042121000001]')
  await page.getByRole('textbox', { name: 'timeoutMs' }).first().fill('7000')
  await page.getByRole('tab', { name: 'JSON' }).first().click()
  const text = await page.locator('.cm-content').first().innerText()
  assert.equal(text.replaceAll(/\s/g, ''), typed.replaceAll(/\s/g, '').replace('6000', '7000'))
  assert.deepEqual(page.faults, [])
})

test('C19: one notification while nobody looks, without arguments; a click goes to the card and answers nothing', async (t) => {
  const { studio } = await studioOf(t, calls(command('c1', 'echo secret-argument')), says('Done.'))
  const page = await open(t, studio.address, { permissions: ['notifications'] })
  await page.evaluate(() => {
    window.shown = []
    window.Notification = class {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(title, options) {
        Object.assign(this, { title, ...options })
        window.shown.push(this)
      }
      close() {
        this.closed = true
      }
    }
  })
  await page.getByRole('button', { name: /^Settings/ }).click()
  await button(page, 'Switch on').click()
  await button(page, 'Switch off').waitFor()
  await page.keyboard.press('Escape')
  await page.evaluate(() => {
    document.hasFocus = () => false
  })
  const run = await pausedRun(studio, 'Say it')
  const shown = () => page.evaluate(() => window.shown.map(({ title, body, tag }) => ({ title, body, tag })))
  await until('a notification', async () => (await shown()).length > 0)
  await pausedRun(studio, 'Say it again')
  await until('the notification of another', async () => (await shown()).some(({ title }) => title === 'Say it again'))
  const told = (await shown()).map(({ title, body }) => [title, body])
  const needs = 'Needs approval: Run command'
  assert.deepEqual(
    told,
    [
      ['Say it', needs],
      ['Say it again', needs],
    ],
    'one of each',
  )
  assert.doesNotMatch(JSON.stringify(await shown()), /secret/)
  await page.evaluate(() => window.shown[0].onclick())
  await row(page, 'run_command', 'waiting').waitFor()
  await until('the focus to be on its row', () =>
    page.evaluate(() => document.activeElement?.getAttribute('data-call-id') === 'c1'),
  )
  assert.equal((await studio.api('GET', `/threads/${run.threadId}/runs`)).runs[0].status, 'paused')
  assert.deepEqual(page.faults, [])
})
