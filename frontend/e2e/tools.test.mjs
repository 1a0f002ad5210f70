// Tools that are tried by hand, without a mouse: found, filled in, run, watched, and looked at.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { closeBrowser, folder, linesOf, open, serve, settled, until } from './harness.mjs'
import { tabTo } from './keys.mjs'
import { serveMcp } from './mcp.mjs'
import { button, rows } from './thread.mjs'

after(closeBrowser)

const region = (page, name) => page.getByRole('region', { name, exact: true })
const result = (page) => region(page, 'Result')
const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? '')

/** A studio on a folder with one file, and its page. */
async function studioOf(t) {
  const work = await folder(t)
  await writeFile(join(work, 'notes.txt'), 'one\ntwo\n')
  const studio = await serve(t, { args: ['--folder', work] })
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  return { studio, page, work }
}

/** Goes to the tools by the palette and opens the first that a search finds. */
async function openTool(page, query) {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').and(page.locator(':focus')).waitFor()
  await page.keyboard.insertText('Tools')
  await page.locator('[role=option][data-highlighted]', { hasText: /^Tools$/ }).waitFor()
  await page.keyboard.press('Enter')
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await tabTo(page, search)
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(query)
  const items = page.getByRole('navigation', { name: 'Tools' }).locator('[data-tool-key]')
  await until('the list to be searched', async () => {
    const texts = await items.allTextContents()
    return texts.length > 0 && texts.every((text) => text.includes(query.split(' ')[0]))
  })
  await page.keyboard.press('ArrowDown')
  await until('a tool to have the focus', async () => (await focused(page)).includes(query.split(' ')[0]))
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Try it' }).waitFor()
}

const field = (page, name) => page.getByRole('textbox', { name, exact: true })
const status = (page, word) => result(page).locator(`[data-status="${word}"]`)

test('a tool is found, filled in, approved, watched, and its result read, without a mouse', async (t) => {
  const { studio, page, work } = await studioOf(t)
  await openTool(page, 'run_command')
  await tabTo(page, field(page, 'command'))
  const held = join(work, 'go')
  await page.keyboard.insertText(`echo first; while [ ! -e ${held} ]; do sleep 0.05; done; echo last`)
  await page.keyboard.press('Control+Enter')
  await status(page, 'needs approval').waitFor()
  assert.deepEqual(await axeFaults(page), [])
  const approve = result(page).getByRole('button', { name: 'Approve', exact: true })
  await tabTo(page, approve)
  await until('Approve to be enabled', () => approve.isEnabled())
  await page.keyboard.press('Enter')
  await status(page, 'running').waitFor()
  await result(page).getByText('first').waitFor() // its progress
  await writeFile(held, '')
  await status(page, 'exit 0').waitFor()
  await result(page).getByText('What a model would read').waitFor()
  await result(page).getByRole('group', { name: 'Terminal' }).getByText('last').waitFor()
  assert.deepEqual(await axeFaults(page), [])

  // the run is one like any other
  const [thread] = (await studio.api('GET', '/threads')).threads
  assert.equal(thread.title, 'Tried by hand: run_command (Workspace)')
  await tabTo(page, result(page).getByRole('button', { name: 'Open as a thread' }))
  await page.keyboard.press('Enter')
  await rows(page).and(page.locator('[data-tool="run_command"][data-state="done"]')).waitFor()
  await tabTo(page, button(page, 'Tried by hand'))
  await page.keyboard.press('Enter')
  await result(page).waitFor()
  assert.deepEqual(page.faults, [])
})

test('numbers go from the form to the server as they were typed, and each try is kept', async (t) => {
  const { studio, page } = await studioOf(t)
  const server = await serveMcp(t, [
    {
      name: 'measure',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer' }, ratio: { type: 'number' }, much: { type: 'number' } },
        required: ['id'],
      },
      annotations: { readOnlyHint: true },
      result: { content: [], structuredContent: { fits: true } },
    },
    { name: 'bare', annotations: { readOnlyHint: true }, result: { content: [] } },
  ])
  await studio.api('PUT', '/studio/mcp/lab', { transport: 'http', url: server.url })
  await until('the server to be ready', async () =>
    (await studio.api('GET', '/studio/state')).mcpServers.some(({ state }) => state === 'ready'),
  )
  await openTool(page, 'measure')
  await page.getByText('Still needed: id').waitFor()
  await tabTo(page, field(page, 'id'))
  await page.keyboard.insertText('2512292042121000001')
  await tabTo(page, field(page, 'ratio'))
  await page.keyboard.insertText('1e')
  await page.getByText('Not a number.').waitFor()
  assert.ok(await button(page, 'Run').isDisabled())
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('1.0')
  await tabTo(page, field(page, 'much'))
  await page.keyboard.insertText('1e400')
  await until('it to be ready', () => button(page, 'Run').isEnabled())
  await page.keyboard.press('Control+Enter')
  await status(page, 'done').waitFor()
  await result(page).getByText('fits').first().waitFor() // what is structured is shown

  const text = '{\n  "id": 2512292042121000001,\n  "ratio": 1.0,\n  "much": 1e400\n}'
  const [thread] = (await studio.api('GET', '/threads')).threads
  const [run] = (await studio.api('GET', `/threads/${thread.id}/runs`)).runs
  await settled(studio, run.runId, 'completed')
  const deltas = (await linesOf(studio, run.runId)).map(JSON.parse).filter(({ type }) => type === 'tool-call-delta')
  assert.equal(deltas.map(({ argsTextDelta }) => argsTextDelta).join(''), text)
  assert.match(server.calls[0].replaceAll(/\s/g, ''), /\{"id":2512292042121000001,"ratio":1\.0,"much":1e400\}/)

  // another one with changed arguments, and the first ones again
  await tabTo(page, field(page, 'id'))
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('7')
  await page.keyboard.press('Control+Enter')
  await result(page).getByText('try 2 of 2').waitFor()
  await status(page, 'done').waitFor()
  const tries = region(page, 'Tries')
  await tabTo(page, tries.locator('[data-try]').first())
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await result(page).getByText('try 1 of 2').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(
    'the form to have the first arguments',
    async () => (await field(page, 'id').inputValue()) === '2512292042121000001',
  )
  assert.deepEqual(await axeFaults(page), [])

  // of a tool without a schema: the reason, an editor, and a result with nothing in it
  await openTool(page, 'bare')
  await page.getByText('it has no input schema').last().waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('textbox', { name: 'Arguments as JSON' }).waitFor()
  await tabTo(page, button(page, 'Run'))
  await page.keyboard.press('Enter')
  await status(page, 'empty result').waitFor()
  assert.deepEqual(page.faults, [])
})

test('I7 the JSON editor keeps what is typed key by key, and its cursor', async (t) => {
  const { page } = await studioOf(t)
  await openTool(page, 'remember')
  await tabTo(page, page.getByRole('tab', { name: 'Form' }))
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
  await editor.waitFor()
  await until('the editor to have the focus', () => editor.evaluate((box) => box.contains(document.activeElement)))
  await page.keyboard.press('Control+a')
  for (const key of '{"text":"\\n"}') await page.keyboard.type(key)
  assert.equal(await editor.innerText(), '{"text":"\\n"}')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('x')
  assert.equal(await editor.innerText(), '{"text":"\\nx"}')
  await page.keyboard.press('Control+Enter') // no new line
  await result(page).getByText('What a model would read').waitFor()
  assert.equal(await editor.innerText(), '{"text":"\\nx"}')
  assert.deepEqual(page.faults, [])
})

test('in a narrow window the list and the tool take turns, and the focus comes back', async (t) => {
  const { page } = await studioOf(t)
  await page.setViewportSize({ width: 640, height: 500 })
  await openTool(page, 'read_file')
  const back = button(page, 'Tools').last()
  await tabTo(page, back)
  await page.keyboard.press('Enter')
  await until('the tool to have the focus', async () => (await focused(page)).includes('read_file'))
  assert.deepEqual(page.faults, [])
})
