import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, streams, until } from './harness.mjs'
import { button, choose, composer, row, rows, send, toRead } from './thread.mjs'

after(closeBrowser)

const slider = (page) => page.getByRole('slider', { name: 'Event' })
const bar = (page) => page.getByRole('region', { name: 'Playback' })

/** Waits until the bar stands at an event. */
const at = (page, seq) => bar(page).getByText(`event ${seq} of `).waitFor()

/** A run that lists files and then has a call dropped whose arguments never came complete, and a page on it. */
async function dropped(t) {
  const writes = streams('c2', 'write_file', ['{"path":"a.txt",', '"content":"', 'abc'], 300)
  const lists = [{ text: 'I look.' }, ...calls(['c1', 'list_files', {}])]
  const path = await script(t, lists, [{ text: 'Now I write.' }, ...writes, { finishReason: 'length' }])
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go.')
  const { events } = await settled(studio, run.runId, 'completed')
  const seqOf = (type, of) => events.find((event) => event.type === type && Object.values(event).includes(of)).seq
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'Now I write.' }).waitFor()
  const drop = events.find((event) => event.type === 'tool-call-end' && event.dropped).seq
  return { studio, run, page, events, last: events.length, drop, seqOf }
}

/** Goes to an event by the address alone. */
async function goTo(page, { threadId, runId }, seq) {
  await page.evaluate((hash) => (location.hash = hash), `#/t/${threadId}/r/${runId}/e/${seq}`)
  await at(page, seq)
}

test('a run is scrubbed and stepped with the keys of the slider, in the rows that show it live', async (t) => {
  const { page, last } = await dropped(t)
  const live = await rows(page).allInnerTexts()
  await button(page, 'Play back (P)').click()
  await at(page, last)
  await toRead(page, live, 'at its last event a run looks as it does live')
  await page.keyboard.press('Home')
  await at(page, 1)
  await until('the rows to be gone', async () => (await rows(page).count()) === 0)
  await page.keyboard.press('ArrowRight')
  await at(page, 2)
  await rows(page).filter({ hasText: 'Go.' }).waitFor()
  assert.equal(await slider(page).getAttribute('aria-valuetext'), 'event 2, your message')
  await page.keyboard.press('Shift+ArrowRight')
  await at(page, last)
  await page.keyboard.press('ArrowLeft')
  await at(page, last - 1)
  const box = await slider(page).boundingBox()
  await page.mouse.move(box.x + 1, box.y + 10)
  await page.mouse.down()
  await at(page, 1)
  await page.mouse.move(box.x + box.width - 1, box.y + 10, { steps: 5 })
  await at(page, last)
  await page.mouse.up()
  assert.deepEqual(page.faults, [])
})

test('a dropped call is there until the event that drops it', async (t) => {
  const { page, run, drop, last } = await dropped(t)
  assert.equal(await row(page, 'write_file').count(), 0)
  await goTo(page, run, drop - 1)
  const call = row(page, 'write_file', 'input')
  await call.waitFor()
  assert.match(await slider(page).getAttribute('aria-valuetext'), new RegExp(`^event ${drop - 1}, Write file writing$`))
  await button(page, 'One event on (Right)').click()
  await call.waitFor({ state: 'detached' })
  assert.match(await slider(page).getAttribute('aria-valuetext'), /Write file dropped/)
  await button(page, 'One event back (Left)').click()
  await call.waitFor()
  await page.getByRole('button', { name: '1 drop, go to the next' }).click()
  await at(page, drop)
  await page.keyboard.press('End')
  await button(page, 'Live').click()
  await bar(page).waitFor({ state: 'detached' })
  assert.equal(await row(page, 'write_file').count(), 0)
  assert.ok(last > drop)
  assert.deepEqual(page.faults, [])
})

test('a link to a moment opens it, the address follows, and a reload stays there', async (t) => {
  const { page, run, studio, seqOf } = await dropped(t)
  const started = seqOf('tool-call-start', 'c1')
  const other = await open(t, `${studio.address}#/t/${run.threadId}/r/${run.runId}/e/${started}`)
  await at(other, started)
  await row(other, 'list_files', 'input').waitFor()
  assert.equal(await rows(other).filter({ hasText: 'Now I write.' }).count(), 0, 'nothing later is there')
  assert.equal(await composer(other).isDisabled(), true)
  assert.match(await composer(other).getAttribute('placeholder'), /playback/)
  await other.keyboard.press('ArrowRight')
  await until('the address', () => other.url().endsWith(`/e/${started + 1}`))
  await other.reload()
  await at(other, started + 1)
  await row(other, 'list_files', 'input').waitFor()

  await row(page, 'list_files').hover()
  await button(row(page, 'list_files'), 'Call actions').click()
  await page.getByRole('menuitem', { name: 'Go to this moment' }).click()
  await at(page, seqOf('tool-result', 'c1'))
  await row(page, 'list_files', 'done').and(page.locator('[data-moment=true]')).waitFor()
  await until('the address', () => page.url().includes(`/r/${run.runId}/e/`))
  await page.goBack()
  await rows(page).filter({ hasText: 'Now I write.' }).waitFor()
  await bar(page).waitFor({ state: 'detached' })

  await page.evaluate((id) => (location.hash = `#/t/${id}/r/none/e/3`), run.threadId)
  await page.getByText('This thread has no such run.').first().waitFor()
  assert.equal(await bar(page).count(), 0)
  assert.deepEqual([page.faults, other.faults], [[], []])
})

test('a run is played at its own pace and as fast as it can, and Space stops it', async (t) => {
  const { page, run, last, drop } = await dropped(t)
  await goTo(page, run, drop - 4)
  await slider(page).focus()
  const begun = Date.now()
  await page.keyboard.press('Space')
  await button(page, 'Pause (Space)').waitFor()
  await at(page, last)
  assert.ok(Date.now() - begun > 600, 'it takes the time it took')
  await button(page, 'Play (Space)').waitFor()
  await until('the address', () => page.url().endsWith(`/e/${last}`))

  await page.keyboard.press('Home')
  await choose(page, page.getByRole('combobox', { name: 'Speed' }), 'As fast as it can')
  await slider(page).focus()
  await page.keyboard.press('Space')
  await at(page, last)

  await choose(page, page.getByRole('combobox', { name: 'Speed' }), '0.5×')
  await goTo(page, run, drop - 4)
  await slider(page).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Space')
  await button(page, 'Play (Space)').waitFor()
  assert.ok((await slider(page).getAttribute('aria-valuenow')) < drop)
  assert.deepEqual(page.faults, [])
})

test('the address follows a run that is played', async (t) => {
  const words = Array.from({ length: 20 }, (_, i) => [{ delayMs: 100 }, { text: `word ${i} ` }]).flat()
  const path = await script(t, [...words, { finishReason: 'stop' }])
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Say words.')
  const { last } = await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'word 19' }).waitFor()
  await goTo(page, run, 1)
  await at(page, 1)
  await choose(page, page.getByRole('combobox', { name: 'Speed' }), '0.5×')
  await slider(page).focus()
  await page.keyboard.press('Space')
  await until('the address of a moment on the way', async () => {
    const seq = Number(/\/e\/(\d+)$/.exec(page.url())?.[1])
    return seq > 1 && seq < last && (await button(page, 'Pause (Space)').isVisible())
  })
  await at(page, last)
  await until('the address of the end', () => page.url().endsWith(`/e/${last}`))
  assert.deepEqual(page.faults, [])
})

test('while a run waits its past is looked at, decisions are inert and say why, and live goes on', async (t) => {
  const path = await script(t, calls(['c1', 'run_command', { command: 'true' }]), says('All done.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Run it.')
  const { last } = await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await row(page, 'run_command', 'waiting').waitFor()
  await button(page, 'Play back (P)').click()
  await at(page, last)
  await page.getByText('This is playback. Go back to Live to decide.').waitFor()
  assert.equal(await button(page, 'Approve').isDisabled(), true)
  await page.keyboard.press('ArrowLeft')
  await at(page, last - 1)

  const [approval] = (await studio.api('GET', '/approvals')).approvals
  const { approvalId, argumentsHash } = approval
  await studio.api('POST', `/approvals/${approvalId}/decision`, { approved: true, argumentsHash })
  const after = await settled(studio, run.runId, 'completed')
  await bar(page)
    .getByText(`event ${last - 1} of ${after.last}`)
    .waitFor()
  await row(page, 'run_command', 'waiting').waitFor()
  await button(page, 'Live').click()
  await rows(page).filter({ hasText: 'All done.' }).waitFor()
  await composer(page).and(page.locator(':focus')).waitFor()
  assert.deepEqual(page.faults, [])
})

test('of a thread of two runs the earlier stands whole, the later is hidden', async (t) => {
  const path = await script(t, says('First answer.'), says('Second answer.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'One.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'First answer.' }).waitFor()
  await send(page, 'Two.')
  await rows(page).filter({ hasText: 'Second answer.' }).waitFor()
  const feed = page.getByRole('feed')
  await goTo(page, run, 2)
  await until('what came later to be hidden', async () => !/Two\.|First answer/.test(await feed.innerText()))
  await page.getByRole('combobox', { name: 'Run' }).click()
  await page.getByRole('option', { name: /Run 2 of 2/ }).click()
  await until('the second run', async () => (await feed.innerText()).includes('Second answer.'))
  await slider(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Home')
  await until('its beginning', async () => !(await feed.innerText()).includes('Two.'))
  assert.match(await feed.innerText(), /First answer/)
  assert.deepEqual(page.faults, [])
})
