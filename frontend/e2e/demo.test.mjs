import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { closeBrowser, open, picture, serve, settled, until } from './harness.mjs'
import { button, composer, note, noted, row, rows, unfold } from './thread.mjs'

after(closeBrowser)

test('one message plays the whole demo, on real files', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address, { height: 1400 })
  await until('the demo message in the composer', async () => (await composer(page).inputValue()).includes('9090'))
  await note(page)
  await button(page, 'Send').click()

  const group = page
    .getByRole('group')
    .filter({ has: button(page, 'Approve') })
    .first()
  await group.waitFor()
  assert.match(await group.innerText(), /release\.sh staging/, 'the card shows the command that waits')
  const seen = await noted(page)
  const [thread] = (await studio.api('GET', '/threads')).threads
  const { folder } = await studio.api('GET', `/studio/threads/${thread.id}`)
  await settled(studio, thread.runId, 'paused')
  await assert.rejects(readFile(join(folder, 'dist/staging/RELEASE')), 'the command has not run yet')

  // How many of the pieces are seen one by one is a matter of the machine.
  const words = seen.filter((each) => each.tool === undefined).flatMap(({ texts }) => texts.map((text) => text.trim()))
  const grew = words.filter((text, at) => at > 0 && text !== words[at - 1] && text.startsWith(words[at - 1]))
  assert.ok(grew.length > 1, `the text comes piece by piece: it was seen to grow ${grew.length} times`)

  const of = (tool) => seen.filter((each) => each.tool === tool)
  assert.equal(of('read_file').length, 2, 'two files are read')
  const edit = of('edit_file')[0]
  assert.ok(edit.states.includes('input'), `the edit is seen as it is written: ${edit.states}`)
  assert.ok(new Set(edit.texts.map((text) => text.length)).size > 3, 'its arguments grow on the screen')
  const [dropped, checks, smoke] = of('run_command')
  assert.equal(dropped.states.at(-1), 'input', 'the call the model never finished was seen')
  assert.ok(
    checks.texts.some((text) => /\d\/10/.test(text)),
    'the checks show their progress while they run',
  )
  assert.ok(checks.states.includes('running') && checks.states.at(-1) === 'done')
  assert.equal(smoke.states.at(-1), 'failed')

  const failed = row(page, 'run_command', 'failed')
  assert.match(await failed.innerText(), /TOOL_TIMEOUT/, 'the failing call shows its code')
  assert.equal(await row(page, 'run_command').count(), 3, 'the dropped call left the thread')
  assert.match(await rows(page).last().innerText(), /release\.sh/)
  const edited = row(page, 'edit_file', 'done')
  await unfold(edited)
  await edited.locator('[data-block]').filter({ hasText: '9090' }).first().waitFor() // the diff

  await group.getByRole('button', { name: 'Approve' }).click()
  await row(page, 'run_command', 'done').nth(1).waitFor()
  await until(
    'the run to complete',
    async () => (await studio.api('GET', '/threads')).threads[0].status === 'completed',
  )
  assert.match(await readFile(join(folder, 'internal/config/config.go'), 'utf8'), /9090/, 'the edit is on the disk')
  assert.ok((await readFile(join(folder, 'dist/staging/RELEASE'), 'utf8')).length > 0, 'the command really ran')
  await picture(page, 'demo')

  await page.setViewportSize({ width: 1280, height: 800 })
  await until('the index', async () => !(await studio.api('GET', '/studio/search')).behind)
  await page.evaluate(() => {
    location.hash = '#/search?state=dropped'
  })
  await page.locator('[data-hit]').first().click()
  await until('the turn of the dropped call, in view', () =>
    page.evaluate(() => {
      const at = document.activeElement
      const view = at?.closest('[role=feed]')?.getBoundingClientRect()
      const { top, bottom } = at?.getBoundingClientRect() ?? {}
      return at?.dataset.row === 'turn' && top >= view.top && bottom <= view.bottom
    }),
  )
  assert.deepEqual(page.faults, [])
})
