// Setting Callboard up, without a mouse: a model's server, an agent of one's own, its first run, and its file.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { atEnd, closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, composer, row, rows, runCommand } from './thread.mjs'

after(closeBrowser)

const key = 'sk-e2e-setup-0001'

/** A server as OpenAI's, with one model, which answers with what is left of turns; each is a chunk's delta. */
async function openAI(t, turns) {
  const asked = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => (body += text))
    request.on('end', () => {
      if (request.headers.authorization !== `Bearer ${key}`) {
        response.writeHead(401, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'Incorrect API key' } }))
      } else if (request.url === '/v1/models') {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'tiny-1', object: 'model' }] }))
      } else {
        const question = JSON.parse(body)
        asked.push(question)
        const isTest = question.tools?.some((tool) => tool.function.name === 'report_ready')
        const delta = isTest ? call('report_ready', { word: 'ready' }) : (turns.shift() ?? { content: 'Done.' })
        const finish = delta.tool_calls ? 'tool_calls' : 'stop'
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        const chunk = (choice) => {
          const choices = [{ index: 0, ...choice }]
          response.write(
            `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'tiny-1', choices })}\n\n`,
          )
        }
        chunk({ delta: { role: 'assistant', ...delta } })
        chunk({ delta: {}, finish_reason: finish })
        response.end('data: [DONE]\n\n')
      }
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections()))
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked }
}

const call = (name, args) => ({
  tool_calls: [{ index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})

/** What has the focus: its name, or its text. */
const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement
    const label = at?.labels?.[0]?.innerText
    return (at?.getAttribute('aria-label') ?? label ?? at?.innerText ?? '').trim()
  })

/** Goes on with the Tab key until something of a name has the focus. */
async function tabTo(page, name) {
  for (let i = 0; i < 120; i++) {
    if ((await focused(page)).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the Tab key does not come to ${name}; it is at ${await focused(page)}`)
}

/** Tabs to something and presses it. */
async function press(page, name) {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Tabs to a field and writes in it. */
async function write(page, name, text) {
  await tabTo(page, name)
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

const dialog = (page, name) => page.getByRole('dialog', { name })

/** Chooses from a list that has the focus. */
async function choose(page, list, option) {
  await press(page, list)
  await page.getByRole('option', { name: option }).waitFor()
  for (let i = 0; i < 30; i++) {
    const at = await page.evaluate(() => document.querySelector('[role=option][data-highlighted]')?.innerText ?? '')
    if (at.startsWith(option)) break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: option }).waitFor({ state: 'detached' })
}

test('a newcomer connects a model, makes an agent and sees it work, without a mouse', async (t) => {
  const model = await openAI(t, [
    call('read_file', { path: 'notes.txt' }),
    { content: 'The notes speak of port 9090.' },
  ])
  const work = await folder(t)
  await writeFile(join(work, 'notes.txt'), 'The port is 9090.\n')
  const studio = await serve(t, { args: ['--folder', work] })
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()

  await press(page, 'Connect a model')
  await dialog(page, 'Connect a model').waitFor()
  await write(page, 'Address', model.url)
  await write(page, 'Key', key)
  await press(page, 'Save and test')
  await page.getByText('the server answers, and its model called a tool.').waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await press(page, 'Close')
  await dialog(page, 'Connect a model').waitFor({ state: 'detached' })

  await press(page, 'Make an agent of your own')
  await dialog(page, 'Make an agent').waitFor()
  await write(page, 'Name', 'Note reader')
  await write(page, 'Description', 'Reads notes')
  await write(page, 'Instructions', 'Read the notes and answer in one sentence.')
  await choose(page, 'Tools', 'Those I choose')
  await tabTo(page, 'read_file')
  await page.keyboard.press('Space')
  await choose(page, 'Calls of read_file', 'Always ask')
  await write(page, 'Turns of a run', 'five')
  await press(page, 'Make the agent')
  await page.getByText('“five” is no whole number').waitFor()
  await write(page, 'Turns of a run', '5')
  assert.deepEqual(await axeFaults(page), [])
  await press(page, 'Make the agent')
  await dialog(page, 'Make an agent').waitFor({ state: 'detached' })

  await tabTo(page, 'Message')
  await page.keyboard.insertText('What do the notes say?')
  await page.keyboard.press('Enter')
  await row(page, 'read_file', 'waiting').waitFor()
  await press(page, 'Approve')
  await rows(page).filter({ hasText: 'The notes speak of port 9090.' }).waitFor()
  const [question] = model.asked.filter((each) => each.messages[0]?.content.startsWith('Read the notes'))
  assert.deepEqual(
    question.tools.map((tool) => tool.function.name),
    ['read_file'],
  )
  assert.deepEqual(page.faults, [])
})

test('an agent that is exported, deleted and imported is the same, and its thread says that it was gone', async (t) => {
  const path = await script(t, says('Hello.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const made = await studio.api('POST', '/studio/agents', {
    name: 'Careful one',
    description: 'Asks',
    instructions: 'Ask <first> & act.\nThen say so.',
    tools: ['read_file', 'run_command'],
    approvals: { run_command: 'never' },
    maxTurns: 7,
    toolTimeoutMs: 1500,
    temperature: 0.5,
  })
  const run = await start(studio, 'Hello', { agent: 'Careful one' })
  await settled(studio, run.runId, 'completed')
  const page = await open(t, studio.address, { acceptDownloads: true })
  await button(page, 'Send').waitFor()

  await page.keyboard.press('Control+,')
  await dialog(page, 'Settings').waitFor()
  const downloading = page.waitForEvent('download')
  await press(page, 'Export Careful one')
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'Careful one.agent.json')
  const file = join(await folder(t), 'agent.json')
  await download.saveAs(file)
  assert.equal(JSON.parse(await readFile(file, 'utf8')).agent.name, 'Careful one')

  await press(page, 'Delete Careful one')
  await page.getByText('Delete this agent?').waitFor()
  await press(page, 'Delete')
  await until('it to be deleted', async () => {
    const { agents } = await studio.api('GET', '/agents')
    return !agents.some(({ name }) => name === 'Careful one')
  })
  await page.keyboard.press('Escape')
  await page.goto(new URL(`#/t/${run.threadId}`, studio.address).href)
  await rows(page).filter({ hasText: 'Hello.' }).waitFor()
  await page.getByText('Careful one (deleted)').waitFor()
  await composer(page).fill('Are you there?')
  await page.keyboard.press('Enter')
  await page.getByText('The agent Careful one was deleted.').waitFor()
  assert.equal(await composer(page).inputValue(), 'Are you there?', 'the message stays')
  assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled(), 'nobody would answer')

  const choosing = page.waitForEvent('filechooser')
  await runCommand(page, 'Import an agent')
  await (await choosing).setFiles(file)
  await dialog(page, 'Import an agent').waitFor()
  await page.getByText('run_command: never asks you').waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await press(page, 'Import')
  await dialog(page, 'Settings').waitFor()
  assert.deepEqual(await studio.api('GET', '/studio/agents/Careful%20one'), made)
  assert.deepEqual(await axeFaults(page), [])
  assert.deepEqual(page.faults, [])
})
