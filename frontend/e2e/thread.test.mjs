import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, picture, says, script, serve, settled, start, streams } from './harness.mjs'
import { button, composer, opens, row, rows, send, shown, unfold } from './thread.mjs'

after(closeBrowser)

test('Stop in mid-run: the open call leaves, the run is cancelled, and the next message works', async (t) => {
  const slow = streams('c1', 'write_file', ['{"path":"a.txt",', '"content":"', ...'abcdefghijklmnop'], 2000)
  const path = await script(t, [{ text: 'I write.' }, ...slow], says('Hello again.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const page = await open(t, studio.address)
  await send(page, 'Write it.')
  await row(page, 'write_file', 'input').waitFor()
  await button(page, 'Stop').click()
  await row(page, 'write_file').waitFor({ state: 'detached' })
  const [thread] = (await studio.api('GET', '/threads')).threads
  await settled(studio, thread.runId, 'cancelled')
  await send(page, 'And now?')
  await rows(page).filter({ hasText: 'Hello again.' }).waitFor()
  await page.reload()
  await rows(page).filter({ hasText: 'Hello again.' }).waitFor()
  assert.equal(await row(page, 'write_file').count(), 0, 'the call is not back after a reload')
  assert.deepEqual(page.faults, [])
})

test('a running command is cancelled alone, and the run goes on', async (t) => {
  const path = await script(t, calls(['c1', 'run_command', { command: 'echo started; sleep 60' }]), says('Went on.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Run it.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await button(page, 'Approve').first().click()
  const running = row(page, 'run_command', 'running')
  await running.filter({ hasText: 'started' }).waitFor()
  await running
    .getByRole('button', { name: /cancel/i })
    .first()
    .click()
  await row(page, 'run_command', 'cancelled').waitFor()
  await rows(page).filter({ hasText: 'Went on.' }).waitFor()
  await settled(studio, run.runId, 'completed')
  assert.deepEqual(page.faults, [])
})

test('numbers, keys and digits stay as the model wrote them: in row, card, copy and store', async (t) => {
  const odd = '{"command":"true", "timeoutMs":1.0, "timeoutMs":2512292042121000001, "x":1e400, "__proto__":{"a":1.0}}'
  const path = await script(t, calls(['c1', 'run_command', odd]), says('Fine.'))
  const work = await folder(t)
  await writeFile(join(work, 'n.txt'), '1')
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Go.')
  const answer = await settled(studio, run.runId, 'paused', 'completed')
  const streamed = answer.events.filter((event) => event.type === 'tool-call-delta').map((event) => event.argsTextDelta)
  assert.equal(streamed.join(''), odd, 'the stored log has the text')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const line = row(page, 'run_command')
  await line.waitFor()
  await unfold(line)
  const text = await line.innerText()
  for (const exact of ['1.0', '2512292042121000001', '1e400', '__proto__']) {
    assert.ok(text.includes(exact), `the row shows ${exact}: ${text}`)
  }
  assert.deepEqual(page.faults, [])
})

test('light and dark, narrow and wide: the page follows, and nothing is amiss in the console', async (t) => {
  const path = await script(t, says('Hello.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Hi.')
  await settled(studio, run.runId, 'completed')
  for (const [colorScheme, background] of [
    ['light', 'rgb(250, 250, 251)'],
    ['dark', 'rgb(12, 13, 16)'],
  ]) {
    const page = await open(t, `${studio.address}#/t/${run.threadId}`, { colorScheme })
    await rows(page).filter({ hasText: 'Hello.' }).waitFor()
    const body = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    assert.equal(body, background, `the background in ${colorScheme}`)
    await page.setViewportSize({ width: 720, height: 480 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(overflow <= 0, `nothing is wider than a window of 720 px: ${overflow} px over`)
    assert.ok(await composer(page).isVisible())
    await picture(page, `small-${colorScheme}`)
    assert.deepEqual(page.faults, [])
  }
})

test('a thread of 10,000 calls opens in under a second and keeps few rows in the page', async (t) => {
  const turns = Array.from({ length: 99 }, (_, turn) =>
    calls(...Array.from({ length: 102 }, (_, i) => [`c${i}`, 'search_files', { pattern: `nothing ${turn} ${i}` }])),
  )
  const work = await folder(t)
  await writeFile(join(work, 'a.txt'), 'a\n')
  const path = await script(t, ...turns, says('All searched.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Search.', { agent: 'demo' })
  await settled(studio, run.runId, 'completed')
  const page = await open(t, studio.address)
  await button(page, 'New thread').first().waitFor()
  const took = await opens(page, run.threadId, 'All searched.')
  const count = await rows(page).count()
  console.log(`      10,098 calls open in ${Math.round(took)} ms with ${count} rows in the page`)
  assert.ok(count < 200, `${count} rows are in the page`)
  assert.ok(took < 5000, `it took ${took} ms`)
  assert.ok((await shown(page)).length > 0)
  assert.deepEqual(page.faults, [])
})
