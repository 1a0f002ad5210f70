// What agents may use and what they kept for later: switched, looked at and deleted in Settings.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, program, says, script, serve, settled, start, until } from './harness.mjs'
import { button, rows } from './thread.mjs'

after(closeBrowser)

/** A studio in whose one thread notes were kept and messages put off until later, with its page on the settings. */
async function kept(t) {
  const path = await script(
    t,
    calls(
      ['n1', 'remember', { text: 'The staging port is 9090', tags: ['deploy'] }],
      ['n2', 'remember', { text: 'Tabs, never spaces' }],
      ['s1', 'schedule', { message: 'Look at the build', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' }],
      ['s2', 'schedule', { message: 'Ask about the release', delay: '3h' }],
    ),
    says('It is all noted.'),
  )
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Keep all that.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  await page.keyboard.press('Control+,')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
  return { studio, run, page }
}

const section = (page, name) => page.getByRole('region', { name, exact: true })

test('a tool set that is switched off is not offered, and is again once it is on', async (t) => {
  const { studio, run, page } = await kept(t)
  const offered = async () => (await studio.api('GET', `/studio/threads/${run.threadId}/next`)).tools
  const sets = section(page, 'Tool sets')
  await sets.getByText('remember, recall, forget').waitFor()
  const memory = sets.getByRole('checkbox', { name: 'memory: on' })
  assert.ok((await memory.isChecked()) && (await offered()).includes('remember'))
  await memory.click()
  await until('it to be off', async () => !(await offered()).includes('remember') && !(await memory.isChecked()))
  assert.ok((await offered()).includes('schedule'), 'the other sets stay as they are')
  await memory.click()
  await until('it to be on', async () => (await offered()).includes('remember'))
  assert.deepEqual(page.faults, [])
})

test('a host for the browser is added and removed, and what is no host is refused in words', async (t) => {
  const { studio, page } = await kept(t)
  const hosts = async () => (await studio.api('GET', '/studio/state')).settings.browserHosts
  const sets = section(page, 'Tool sets')
  const host = sets.getByRole('textbox', { name: /^Hosts/ })
  await host.fill('http://localhost/')
  await host.press('Enter')
  await sets.getByText('is no host: write a name').waitFor()
  await host.fill('localhost:3000')
  await button(sets, 'Add').click()
  await button(sets, 'Remove localhost:3000').waitFor()
  assert.deepEqual(await hosts(), ['localhost:3000'])
  await button(sets, 'Remove localhost:3000').click()
  await until('it to be removed', async () => (await hosts()).length === 0)
  // The refusal is an answer of the server, which a browser writes to its console.
  assert.deepEqual(
    page.faults.filter((fault) => !fault.includes('400')),
    [],
  )
})

test('a schedule is listed with its thread, leads to it, and is deleted', async (t) => {
  const { studio, page } = await kept(t)
  const schedules = section(page, 'Schedules')
  const item = schedules.getByRole('listitem').filter({ hasText: 'Look at the build' })
  await item.getByText('0 7 * * 1-5 (Europe/Berlin)').waitFor()
  assert.match(await item.innerText(), /next \d+ \w+, \d\d:\d\d, again by/)
  await item.getByRole('button', { name: 'Keep all that.' }).click()
  await rows(page).filter({ hasText: 'It is all noted.' }).waitFor()
  await page.keyboard.press('Control+,')
  await item.getByRole('button', { name: /^Delete the schedule/ }).click()
  await button(item, 'Keep').click()
  assert.equal((await studio.api('GET', '/studio/schedules')).schedules.length, 2, 'it was asked first')
  await item.getByRole('button', { name: /^Delete the schedule/ }).click()
  await button(item, 'Delete').click()
  await item.waitFor({ state: 'detached' })
  const { schedules: left } = await studio.api('GET', '/studio/schedules')
  assert.deepEqual(
    left.map(({ message }) => message),
    ['Ask about the release'],
  )
  assert.deepEqual(page.faults, [])
})

test('a note is found by its words and deleted', async (t) => {
  const { studio, page } = await kept(t)
  const notes = section(page, 'Notes')
  await notes.getByText('Tabs, never spaces').waitFor()
  await notes.getByRole('searchbox', { name: 'Find notes' }).fill('port')
  await notes.getByText('Tabs, never spaces').waitFor({ state: 'detached' })
  const item = notes.getByRole('listitem').filter({ hasText: 'The staging port is 9090' })
  await item.getByText('#deploy').waitFor()
  await item.getByRole('button', { name: /^Delete the note/ }).click()
  await button(item, 'Delete').click()
  await notes.getByText('Nothing matches “port”.').waitFor()
  await notes.getByRole('searchbox', { name: 'Find notes' }).fill('')
  await notes.getByText('Tabs, never spaces').waitFor()
  assert.equal((await studio.api('GET', '/studio/notes')).notes.length, 1)
  assert.deepEqual(page.faults, [])
})

test('after how many days threads are deleted is saved when asked to, and 0 keeps them', async (t) => {
  const { studio, page } = await kept(t)
  const days = async () => (await studio.api('GET', '/studio/state')).settings.retentionDays
  const general = section(page, 'General')
  const field = general.getByRole('textbox', { name: /^Delete threads after/ })
  await general.getByText('0 keeps every thread.').waitFor()
  await field.fill('30')
  assert.equal(await days(), 0, 'nothing is deleted by a number that is being typed')
  await button(general, 'Save').click()
  await until('30 days', async () => (await days()) === 30)
  await field.fill('a month')
  await general.getByText('A whole number of days, or 0.').waitFor()
  assert.ok(await button(general, 'Save').isDisabled())
  await field.fill('0')
  await field.press('Enter')
  await until('none', async () => (await days()) === 0)
  assert.deepEqual(page.faults, [])
})

test('what a schedule sends into its thread is marked as its own', async (t) => {
  const later = calls(['s1', 'schedule', { message: 'Look once more', delay: '1s' }])
  const path = await script(t, later, says('I will.'), says('I looked.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Look now, and later.')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'I looked.' }).waitFor()
  await page.getByRole('heading', { name: 'Schedule', exact: true }).waitFor()
  await page
    .getByRole('article', { name: /^Schedule: Scheduled message/ })
    .getByText('Look once more')
    .waitFor()
  await page.getByRole('heading', { name: 'You', exact: true }).waitFor()
  assert.deepEqual(page.faults, [])
})

/** The form of a new server over MCP, opened from the settings. */
async function added(page, name, command, args) {
  await page.keyboard.press('Control+,')
  await section(page, 'MCP servers').getByText('No servers.').waitFor()
  await button(page, 'Add a server').click()
  const form = page.getByRole('dialog', { name: 'Add an MCP server' })
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByLabel('Command').fill(command)
  await form.getByLabel('Arguments').fill(args.join('\n'))
  return form
}

test('an MCP server is set up, tested, called, switched off and deleted', async (t) => {
  const work = await folder(t)
  await writeFile(join(work, 'notes.txt'), 'what the server reads\n')
  const path = await script(t, calls(['c1', 'files_read_file', { path: 'notes.txt' }]), says('Read.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  const form = await added(page, 'files', program, ['mcp', '--folder', work])
  await button(form, 'Add a variable').click()
  await form.getByLabel('Name of variable 1').fill('TOKEN')
  await form.getByLabel('Value of variable 1').fill('sesame-open')
  await form.getByRole('combobox', { name: 'Which of its calls wait for you' }).click()
  await page.getByRole('option', { name: /^None/ }).click()
  await button(form, 'Save and test').click()
  const saved = page.getByRole('dialog', { name: 'files', exact: true }) // it bears the server's name now
  await saved.getByText(/^Works: it has \d+ tools\.$/).waitFor()
  await saved.getByText('files_read_file', { exact: true }).waitFor()
  assert.equal(await saved.getByLabel('Value of variable 1').inputValue(), '')
  assert.ok(!(await page.content()).includes('sesame'), 'a value never comes back')
  await button(saved, 'Close').last().click()
  const servers = section(page, 'MCP servers')
  await servers.getByText('ready').waitFor()

  const run = await start(studio, 'Read the notes.')
  const log = await settled(studio, run.runId, 'completed', 'paused')
  assert.equal(log.status, 'completed', 'none of its calls is asked about')
  assert.match(JSON.stringify(log.events.find(({ type }) => type === 'tool-result')), /what the server reads/)

  await servers.getByRole('checkbox', { name: 'files: on' }).click()
  await until('its tools to be gone', async () => {
    const { tools } = await studio.api('GET', '/tools')
    return !tools.some(({ name }) => name === 'files_read_file')
  })
  await button(servers, 'Delete files').click()
  await button(servers, 'Delete').click()
  await servers.getByText('No servers.').waitFor()
  assert.deepEqual((await studio.api('GET', '/studio/state')).mcpServers, [])
  assert.deepEqual(page.faults, [])
})

test('an MCP server that does not start says why, and shows what it wrote', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  const form = await added(page, 'broken', 'sh', ['-c', 'echo no key is set >&2; exit 3'])
  await button(form, 'Save').click()
  const servers = section(page, 'MCP servers')
  await servers.getByText('failed', { exact: true }).waitFor()
  await servers.getByRole('button', { name: 'Test' }).click()
  await servers.getByRole('status').getByText('Failed').waitFor()
  await servers.getByRole('group', { name: 'What it wrote' }).getByText('no key is set').first().waitFor()
  await servers.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'broken' })
  assert.equal(await edit.getByLabel('Arguments').inputValue(), '-c\necho no key is set >&2; exit 3')
  await button(edit, 'Cancel').click()
  await servers.getByText('failed', { exact: true }).waitFor()
  assert.deepEqual(page.faults, [])
})
