// All there is to see, over a server that is attached: details of every kind, images, calls inside of calls, approvals, agents that
// hand over, tools tried by hand. What came stays when the server is gone.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { axeFaults, layoutFaults } from '../bench/looks.mjs'
import { example } from './example.mjs'
import { closeBrowser, open, picture, serve, settled, until } from './harness.mjs'
import { button, composer, row, rows, unfold } from './thread.mjs'

after(closeBrowser)

/** A studio to which the gallery is attached, and a page on it. */
async function attached(t) {
  const shown = await example(t, 'gallery')
  const studio = await serve(t, { args: ['--attach', shown.address] })
  const at = new URL(shown.address).host
  await until('its agents', async () => {
    const { agents } = await studio.api('GET', '/studio/state')
    return agents.some(({ name }) => name === `gallery@${at}`)
  })
  const page = await open(t, studio.address, { height: 4800 }) // the list has room for every row, open too
  await composer(page).waitFor()
  return { shown, studio, page, at }
}

/** Starts a run of one of its agents in a new thread, and shows it. */
async function run({ studio, page, at }, agent, input) {
  const agentName = `${agent}@${at}`
  const { id } = await studio.api('POST', '/studio/threads', { agentName })
  const started = await studio.api('POST', `/agents/${encodeURIComponent(agentName)}/runs`, { input, threadId: id })
  await page.evaluate((hash) => (location.hash = hash), `#/t/${id}`)
  return started
}

/** Whether the image of a row is drawn, of what width it is. */
const widthOf = (at) =>
  at
    .locator('img')
    .first()
    .evaluate((image) => image.complete && image.naturalWidth)

test('details of every kind and images come as they are, and stay when their server is gone', async (t) => {
  const world = await attached(t)
  const { page, studio } = world
  const started = await run(world, 'gallery', 'Show me everything.')
  await settled(studio, started.runId, 'completed')
  const kinds = ['text', 'markdown', 'diff', 'table', 'image', 'terminal', 'code', 'json', 'hostile', 'seen']
  const looked = async () => {
    for (const tool of kinds) {
      await row(page, tool, 'done').waitFor()
      await unfold(row(page, tool))
      await row(page, tool).locator('[role=group]').first().waitFor()
    }
    for (const tool of ['image', 'seen']) await until(`the image of ${tool}`, () => widthOf(row(page, tool)))
    const texts = {}
    for (const tool of kinds) texts[tool] = await row(page, tool).innerText()
    return texts
  }
  const before = await looked()
  assert.match(before.json, /2512292042121000001/)
  assert.match(before.table, /São Paulo/)
  assert.equal(await widthOf(row(page, 'seen')), 320)
  assert.deepEqual(await layoutFaults(page), [])
  assert.deepEqual(await axeFaults(page), [])

  await world.shown.kill()
  await page.reload()
  assert.deepEqual(await looked(), before)
  await picture(page, 'attached-gallery')
  assert.deepEqual(page.faults, [])
})

test('a call inside a call of an attached agent waits in its row, and the whole goes on once it is approved', async (t) => {
  const world = await attached(t)
  const { page, studio } = world
  const started = await run(world, 'captain', 'Release version 1.4.')
  const upload = row(page, 'upload', 'waiting')
  await button(upload, 'Approve').waitFor()
  await row(page, 'release', 'waiting').waitFor()
  assert.deepEqual(await axeFaults(page), [])
  const { approvals } = await studio.api('GET', '/approvals')
  assert.deepEqual(
    approvals.map(({ toolName, sideEffects }) => [toolName, sideEffects]),
    [['upload', ['network', 'external']]],
  )
  await button(upload, 'Edit arguments').click()
  await upload.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"file":"callboard-1.4.tar.gz"}')
  await button(upload, 'Approve edited').click()
  await rows(page).filter({ hasText: 'It is done.' }).waitFor()
  await settled(studio, started.runId, 'completed')
  for (const tool of ['release', 'build', 'sign', 'upload']) await row(page, tool, 'done').waitFor()
  assert.match(await row(page, 'upload').innerText(), /callboard-1\.4\.tar\.gz/)
  const { events } = await studio.api('GET', `/runs/${started.runId}/events?after=0`)
  const inside = events.filter(({ type, parentToolCallId }) => type === 'tool-call-start' && parentToolCallId === 'c1')
  assert.deepEqual(
    inside.map(({ toolName }) => toolName),
    ['build', 'sign', 'upload'],
  )
  assert.deepEqual(page.faults, [])
})

test('an attached agent that hands over is followed, and answers as JSON are drawn', async (t) => {
  const world = await attached(t)
  const { page, at } = world
  await run(world, 'reception', 'Show me an image.')
  await rows(page)
    .filter({ hasText: `Handed over to keeper@${at}` })
    .waitFor()
  await rows(page).filter({ hasText: 'That is the one we have.' }).waitFor()
  await unfold(row(page, 'seen', 'done'))
  await until('the image', () => widthOf(row(page, 'seen')))
  await run(world, 'planner', 'Three days in Oslo.')
  const answer = page.getByRole('feed').getByRole('group', { name: 'Structured output' })
  await answer.getByText('2512292042121000001').waitFor()
  assert.deepEqual(page.faults, [])
})

test('a tool of an attached server is tried by hand, with progress, a decision and an image', async (t) => {
  const { page, studio, at } = await attached(t)
  const result = page.getByRole('region', { name: 'Result', exact: true })
  const status = (word) => result.locator(`[data-status="${word}"]`)
  const choose = async (name) => {
    await page.evaluate((hash) => (location.hash = hash), '#/tools')
    const source = page.getByRole('region', { name: at, exact: true })
    await source.locator(`[data-tool-key$="${name}"]`).click()
    await page.getByRole('group', { name: 'Try it' }).waitFor()
  }
  await choose('countdown')
  await button(page, 'Run').click()
  await status('done').waitFor()
  await result.getByText('counted').first().waitFor()
  await choose('seen')
  await button(page, 'Run').click()
  await status('320 × 180').waitFor()
  await until('the image', () => widthOf(result))
  await choose('release')
  await page.getByRole('textbox', { name: 'input', exact: true }).fill('Release it.')
  await button(page, 'Run').click()
  const inside = result.getByRole('region', { name: 'Upload' })
  await inside.getByText('callboard.tar.gz').first().waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await until('Approve to be enabled', () => button(inside, 'Approve').isEnabled())
  await button(inside, 'Approve').click()
  await status('done').waitFor()
  await result.getByText('Version 1.4 is released.').first().waitFor()
  const threads = (await studio.api('GET', '/threads')).threads.map(({ title }) => title)
  assert.ok(threads.includes(`Tried by hand: seen (${at})`), threads.join(', '))
  assert.deepEqual(page.faults, [])
})
