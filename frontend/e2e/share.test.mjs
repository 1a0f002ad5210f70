// A thread goes out as a file and comes in again, by the keyboard alone.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { tabTo } from './keys.mjs'
import { composer, row, rows, runCommand, shown } from './thread.mjs'

after(closeBrowser)

const key = 'ghp_0123456789abcdefghijklmnop'

/** A thread of a studio, of one run that came to stand as one of the statuses. */
async function threadOf(t, turns, ...statuses) {
  const path = await script(t, ...turns)
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, `Look, Falcon: token=hunter22 and ${key}`)
  await settled(studio, run.runId, ...statuses)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).first().waitFor()
  return { studio, run, page }
}

/** A studio without a thread, and its page once it has begun. */
async function fresh(t) {
  const studio = await serve(t)
  const page = await open(t, studio.address)
  page.on('filechooser', () => undefined) // from the first listener on choosers are the test's, a moment after it came
  await composer(page).waitFor()
  await until('the page to have begun', () => composer(page).evaluate((box) => box === document.activeElement))
  return { studio, page }
}

const looked = [
  calls(['c1', 'list_files', {}], ['c2', 'read_file', { path: 'gone.txt' }]),
  says(`I used **${key}** for Falcon, and token=hunter22 too.`),
]

/** Presses the control that has the focus, and returns the file that is saved. */
async function saved(t, page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const path = join(await folder(t), download.suggestedFilename())
  await download.saveAs(path)
  return path
}

async function choose(page, path) {
  const button = page.getByRole('button', { name: 'Choose a file…' })
  await until('the button to have the focus', () => button.evaluate((element) => element === document.activeElement))
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await chooser.setFiles(path)
}

/** What a row is, without times. */
const bare = ({ tool, state, text }) => ({ tool, state, text: text.replace(/\d+(\.\d+)? m?s/g, '') })

test('a thread is exported with one hit left in, and imported elsewhere with the same rows', async (t) => {
  const { page } = await threadOf(t, looked, 'completed')
  await row(page, 'read_file', 'failed').waitFor()
  await runCommand(page, 'Export thread…')
  const dialog = page.getByRole('dialog', { name: /^Export/ })
  await tabTo(page, dialog.getByRole('checkbox', { name: 'Mask secrets' }))
  await page.keyboard.press('Space')
  await dialog.getByText(/^2 secrets are masked/).waitFor()
  await tabTo(page, dialog.getByRole('textbox', { name: 'Mask these words too' }))
  await page.keyboard.type('falcon')
  await page.keyboard.press('Enter')
  await dialog.getByText(/^3 secrets are masked/).waitFor()
  const token = dialog.getByRole('checkbox', { name: 'Mask: value named password, token, secret or key' })
  await tabTo(page, token)
  await page.keyboard.press('Space')
  await dialog.getByText(/^2 secrets are masked, 1 left in/).waitFor()
  assert.equal(await token.isChecked(), false)
  const preview = (await dialog.getByRole('region').allInnerTexts()).join('\n')
  for (const secret of [key, 'hunter22', 'Falcon']) assert.ok(!preview.includes(secret), `the preview tells ${secret}`)
  assert.match(preview, /Your message|Title/)
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await axeFaults(page), [], `export, ${colorScheme}`)
  }
  await tabTo(page, dialog.getByRole('button', { name: 'Export', exact: true }))
  const path = await saved(t, page)
  await dialog.waitFor({ state: 'detached' })
  assert.match(path, /\.callboard$/)
  const file = await readFile(path, 'utf8')
  assert.ok(file.includes('hunter22'), 'what was left in is in the file')
  for (const secret of [key, 'ghp_', 'Falcon']) assert.ok(!file.includes(secret), `${secret} is in the file`)

  const { page: other } = await fresh(t)
  await runCommand(other, 'Import a thread…')
  await choose(other, path)
  await row(other, 'read_file', 'failed').waitFor()
  const mask = (text) => text.replaceAll(key, '[redacted]').replaceAll('Falcon', '[redacted]')
  assert.deepEqual(
    (await shown(other)).map(bare),
    (await shown(page)).map(bare).map((each) => ({ ...each, text: mask(each.text) })),
  )
  await other.getByText('Imported, redacted').waitFor()
  assert.deepEqual([...page.faults, ...other.faults], [])
})

test('nothing of an imported thread waits, and a second import finds it here', async (t) => {
  const turns = [calls(['c1', 'run_command', { command: 'touch ran.txt' }]), says('Done.')]
  const { page } = await threadOf(t, turns, 'paused')
  await row(page, 'run_command', 'waiting').waitFor()
  await runCommand(page, 'Export thread…')
  const dialog = page.getByRole('dialog', { name: /^Export/ })
  await tabTo(page, dialog.getByRole('button', { name: 'Export', exact: true }))
  const path = await saved(t, page)
  await row(page, 'run_command', 'waiting').waitFor()

  const { studio: elsewhere, page: other } = await fresh(t)
  await runCommand(other, 'Import a thread…')
  await choose(other, path)
  await row(other, 'run_command', 'cancelled').waitFor()
  assert.equal(await other.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
  assert.deepEqual((await elsewhere.api('GET', '/approvals')).approvals, [])

  await runCommand(other, 'Import a thread…')
  await choose(other, path)
  const here = other.getByRole('dialog', { name: 'Import a thread' })
  await here.getByText('is here already').waitFor()
  await tabTo(other, here.getByRole('button', { name: 'Import a copy' }))
  await other.keyboard.press('Enter')
  await here.waitFor({ state: 'detached' })
  await until('the copy to be listed', async () => (await elsewhere.api('GET', '/threads')).threads.length === 2)
  other.faults.splice(0, other.faults.length, ...other.faults.filter((fault) => !fault.includes('409')))
  assert.deepEqual([...page.faults, ...other.faults], [])
})

test('a thread is read as Markdown', async (t) => {
  const { page } = await threadOf(t, looked, 'completed')
  await runCommand(page, 'Export thread…')
  const dialog = page.getByRole('dialog', { name: /^Export/ })
  await tabTo(page, dialog.getByRole('radio', { name: /^Callboard file/ }))
  await page.keyboard.press('ArrowDown')
  assert.equal(await dialog.getByRole('radio', { name: /^Markdown/ }).isChecked(), true)
  await tabTo(page, dialog.getByRole('button', { name: 'Export', exact: true }))
  const path = await saved(t, page)
  assert.match(path, /\.md$/)
  const text = await readFile(path, 'utf8')
  for (const line of ['# Look, Falcon', '> I used **ghp_', '"path": "gone.txt"', '**failed**', '```json']) {
    assert.ok(text.includes(line), `${line} is not in\n${text}`)
  }
  assert.deepEqual(page.faults, [])
})

test('a file that is dropped on the window is taken, and one that is none is refused with the reason', async (t) => {
  const { studio, run } = await threadOf(t, looked, 'completed')
  const response = await fetch(new URL(`/api/studio/threads/${run.threadId}/export`, studio.address), {
    headers: { Authorization: `Bearer ${studio.token}` },
  })
  const file = await response.text()
  const { studio: elsewhere, page } = await fresh(t)
  const drop = (content) =>
    page.evaluate((text) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], 'thread.callboard'))
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
    }, content)
  await drop(file.slice(0, file.length / 2))
  const dialog = page.getByRole('dialog', { name: 'Import a thread' })
  await dialog.getByText(/thread\.callboard was not imported: .*damaged.*cut after line/).waitFor()
  assert.deepEqual((await elsewhere.api('GET', '/threads')).threads, [])
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    assert.deepEqual(await axeFaults(page), [], `import, ${colorScheme}`)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await drop(file)
  await row(page, 'read_file', 'failed').waitFor()
  await page.getByText('Imported', { exact: true }).waitFor()
  page.faults.splice(0, page.faults.length, ...page.faults.filter((fault) => !fault.includes('400')))
  assert.deepEqual(page.faults, [])
})
