// The window without a mouse.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { axeFaults } from '../bench/looks.mjs'
import { decisions, restOver, stopClock } from './clock.mjs'
import { doneCall, logOf } from './gallery.mjs'
import { gate } from './gate.mjs'
import { closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, composer, row, rows, runCommand, waiting } from './thread.mjs'

after(closeBrowser)

/** What has the focus: its name or words. */
const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement
    return at?.getAttribute('aria-label') ?? at?.getAttribute('data-call-id') ?? at?.textContent ?? ''
  })

const toBeFocused = (page, name) =>
  until(`the focus on ${name}`, async () => (await focused(page)).startsWith(name)).catch(async (error) => {
    throw new Error(`${error.message}; it is on “${(await focused(page)).slice(0, 80)}”`)
  })

/** Presses Tab until something has the focus. */
async function tabTo(page, name) {
  for (let i = 0; i < 40 && !(await focused(page)).startsWith(name); i++) await page.keyboard.press('Tab')
  await toBeFocused(page, name)
}

/** Goes to the call that waits, and lets the time go by that its keys rest. */
async function toWaiting(page) {
  await runCommand(page, 'Next call that waits')
  await until('the focus on the call', () =>
    page.evaluate(() => document.activeElement?.getAttribute('data-state') === 'waiting'),
  )
  await restOver(page, page.locator(':focus'))
}

test('the demo is played and its command approved without a mouse', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address)
  await until('the demo message', async () => (await composer(page).inputValue()).includes('9090'))
  await toBeFocused(page, 'Message')
  await page.keyboard.press('Enter')
  await row(page, 'run_command', 'waiting').waitFor()
  await toWaiting(page)
  await page.keyboard.press('a')
  await until(
    'the run to complete',
    async () => (await studio.api('GET', '/threads')).threads[0].status === 'completed',
  )
  assert.deepEqual(page.faults, [])
})

test('arguments are edited and approved without a mouse', async (t) => {
  const { page, run, studio, ran } = await waiting(t)
  await toWaiting(page)
  await page.keyboard.press('e')
  await until('the first field to have the focus', () =>
    page.evaluate(() => document.activeElement?.matches('[data-form=edit] :is(input, textarea)')),
  )
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('echo edited >> ran.txt')
  await tabTo(page, 'Approve edited')
  await page.keyboard.press('Enter')
  await settled(studio, run.runId, 'completed')
  assert.equal(await ran(), 'edited\n')
  assert.deepEqual(page.faults, [])
})

test('a call is denied with a reason without a mouse', async (t) => {
  const { page, run, studio, ran } = await waiting(t)
  await toWaiting(page)
  await page.keyboard.press('d')
  await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.insertText('wrong folder')
  await tabTo(page, 'Deny')
  await page.keyboard.press('Enter')
  const { events } = await settled(studio, run.runId, 'completed')
  assert.match(JSON.stringify(events), /wrong folder/)
  assert.equal(await ran(), '')
  assert.deepEqual(page.faults, [])
})

test('a run is played back and left again without a mouse', async (t) => {
  const { page } = await waiting(t)
  await toWaiting(page)
  await page.keyboard.press('p')
  const slider = page.getByRole('slider', { name: 'Event' })
  await slider.waitFor()
  await toBeFocused(page, 'Event')
  const last = Number(await slider.getAttribute('aria-valuenow'))
  await page.keyboard.press('ArrowLeft')
  await until('an event back', async () => Number(await slider.getAttribute('aria-valuenow')) === last - 1)
  await page.keyboard.press('Home')
  await until('the first event', async () => (await slider.getAttribute('aria-valuenow')) === '1')
  await page.keyboard.press('Space')
  await until('the last event', async () => Number(await slider.getAttribute('aria-valuenow')) === last)
  await runCommand(page, 'Play back, or back to live')
  await slider.waitFor({ state: 'detached' })
  await row(page, 'run_command', 'waiting').waitFor()
  assert.deepEqual(page.faults, [])
})

test('dialogs give the focus back, and the keys behind them rest', async (t) => {
  const { page } = await waiting(t)
  await composer(page).focus()
  for (const [keys, name, back] of [
    ['Control+k', 'Search threads and commands', 'Message'],
    ['Control+/', 'Keyboard', 'Message'],
    ['Control+,', 'Settings', 'Message'],
    ['Control+j', 'Waiting for you', 'Message'],
  ]) {
    await page.keyboard.press(keys)
    const dialog = page.getByRole('dialog', { name })
    await dialog.waitFor()
    await until(`the focus in ${name}`, () => dialog.evaluate((at) => at.contains(document.activeElement)))
    await page.keyboard.press('Control+f')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await toBeFocused(page, back)
  }
  assert.equal(await page.getByRole('search').count(), 0, 'no search opened behind a dialog')
  await row(page, 'run_command').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await toBeFocused(page, 'Run command')
  assert.deepEqual(page.faults, [])
})

test('Esc twice stops a run beside the open inspector, and one that closes a menu does not count', async (t) => {
  const path = await script(t, [{ text: 'It begins.' }, { delayMs: 600_000 }, ...says('Never said.')])
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go.')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'It begins.' }).waitFor()
  await page.getByRole('listbox', { name: 'Timeline' }).waitFor()
  await page.keyboard.press('F10')
  const menu = page.getByRole('menu').first()
  await menu.waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await stopClock(page) // the second is in time, however long it takes
  const warned = page.getByText('Press Esc again').waitFor()
  await page.keyboard.press('Escape')
  await warned
  assert.equal((await studio.api('GET', '/threads')).threads[0].status, 'running')
  await page.keyboard.press('Escape')
  await settled(studio, run.runId, 'cancelled')
  assert.deepEqual(page.faults, [])
})

test('single letters act in the list alone, and not at all once they are switched off', async (t) => {
  const { page } = await waiting(t)
  const decided = decisions(page)
  await restOver(page, row(page, 'run_command'))
  await composer(page).focus()
  await page.keyboard.insertText('a')
  await page.keyboard.press('a')
  assert.equal(await composer(page).inputValue(), 'aa')
  await runCommand(page, 'Settings')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
  const box = page.getByRole('checkbox', { name: /Single letters/ })
  await box.focus()
  await page.keyboard.press('Space')
  await until('the box to be clear', async () => !(await box.isChecked()))
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const when of ['at once', 'after a reload']) {
    await toWaiting(page)
    await page.keyboard.press('a')
    await page.keyboard.press('d')
    await page.keyboard.press('ArrowUp')
    await until('the arrows to go on', async () => !(await focused(page)).startsWith('Run command'))
    assert.equal(await page.getByRole('textbox', { name: 'Reason' }).count(), 0, when)
    assert.deepEqual(decided, [], when)
    await page.reload()
    await row(page, 'run_command', 'waiting').waitFor()
  }
  assert.deepEqual(page.faults, [])
})

test('F5: a search finds call 9,999 of 10,000, what is folded away and what was dropped', async (t) => {
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const many = Array.from({ length: 10_000 }, (_, i) => doneCall(`c${i}`, i < 20 ? 'read' : `tool_${i % 7}`)).flat()
  const gone = [
    { type: 'tool-call-start', id: 'gone', toolName: 'write' },
    { type: 'tool-call-delta', id: 'gone', argsTextDelta: '{"content":"half of a wh' },
    { type: 'tool-call-end', id: 'gone', dropped: true, reason: 'incomplete' },
  ]
  const turn = (phase) => ({ type: 'turn', turn: 1, phase, agentName: 'made' })
  const lines = logOf([turn('start'), ...many, ...gone, turn('end'), { type: 'finish', status: 'completed' }])
  const door = await gate(t, studio, thread.id, lines)
  door.let(lines.length)
  const page = await open(t, door.address)
  await row(page, 'tool_0').last().waitFor()
  await page.keyboard.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find in thread' })
  const find = async (text, count) => {
    await field.fill(text)
    await page.getByRole('search').getByText(count, { exact: true }).waitFor()
  }
  const seen = (id) =>
    until(`${id} on the screen`, () =>
      page.evaluate((call) => {
        const box = document.querySelector(`[data-call-id="${call}"]`)?.getBoundingClientRect()
        return box && box.top < innerHeight && box.bottom > 80
      }, id),
    )
  const begin = Date.now()
  await find('"of":"c9998"', '1 of 1')
  await seen('c9998')
  console.log(`      found in ${Date.now() - begin} ms, the wait for the key press included`)
  await find('"of":"C12"', '1 of 1')
  await seen('c12')
  assert.equal(await focused(page), 'Find in thread', 'the focus stays in the field')
  await find('"of":"c500', '1 of 11')
  await page.keyboard.press('Enter')
  await page.getByRole('search').getByText('2 of 11', { exact: true }).waitFor()
  await page.keyboard.press('Shift+F3')
  await page.getByRole('search').getByText('1 of 11', { exact: true }).waitFor()
  await find('half of a wh', '1 of 1')
  await page.locator('[data-row=turn][data-found]').waitFor()
  await find('nowhere', 'Nothing found')
  await find('"of":"c7"', '1 of 1')
  await seen('c7')
  await page.keyboard.press('Escape')
  await page.getByRole('search').waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-call-id')), 'c7')
  assert.deepEqual(page.faults, [])
})

test('axe finds nothing on the main screens', async (t) => {
  const { page } = await waiting(t)
  const dialog = async (keys, words) => {
    await page.keyboard.press(keys)
    await page.getByRole('dialog').getByText(words).first().waitFor()
  }
  const screens = {
    thread: () => undefined,
    palette: () => dialog('Control+k', 'New thread'),
    inbox: () => dialog('Control+j', 'echo ran'),
    settings: () => dialog('Control+,', 'Add a server'),
    keyboard: () => dialog('Control+/', 'Settings'),
    playback: async () => {
      await button(page, 'Play back (P)').press('Enter')
      await page.getByRole('slider', { name: 'Event' }).waitFor()
    },
  }
  const address = page.url()
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme })
    for (const [name, show] of Object.entries(screens)) {
      await page.goto('about:blank')
      await page.goto(address)
      await row(page, 'run_command', 'waiting').waitFor()
      await show()
      assert.deepEqual(await axeFaults(page), [], `${name}, ${colorScheme}`)
    }
    await page.evaluate(() => (location.hash = '#/new'))
    await button(page, 'Send').waitFor()
    assert.deepEqual(await axeFaults(page), [], `new thread, ${colorScheme}`)
  }
  assert.deepEqual(page.faults, [])
})
