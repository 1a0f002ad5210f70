import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { gallery } from './gallery.mjs'
import { gate } from './gate.mjs'
import { calls, closeBrowser, folder, open, picture, says, script, serve, settled, start, until } from './harness.mjs'
import { button, composer, row } from './thread.mjs'

after(closeBrowser)

const small = { width: 900, height: 600 }
const box = (locator) => locator.boundingBox()

test('a small window with decisions that wait: the thread keeps its room, its lines and its wheel', async (t) => {
  const asked = ['one', 'two'].map((name) => [name, 'run_command', { command: `echo ${name} `.repeat(9).trim() }])
  const path = await script(t, [{ text: 'A line of what I do.\n\n'.repeat(40) }, ...calls(...asked)], says('Done.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, small)
  const feed = page.getByRole('feed')
  await row(page, 'run_command', 'waiting').first().waitFor()

  await composer(page).fill('Not there')
  const buttons = await Promise.all(
    ['Stop', 'Deny with this message', 'After the decision'].map((name) => box(button(page, name))),
  )
  assert.equal(new Set(buttons.map(({ y }) => y)).size, 1, 'the buttons stand in one line')

  const room = await box(feed)
  await page.mouse.move(room.x + room.width / 2, room.y + 40)
  await page.mouse.wheel(0, -5000)
  const dock = page.getByRole('group', { name: 'Waiting: Run command' })
  await dock.waitFor()
  assert.ok((await box(dock)).height < room.height * 0.45, 'the card leaves the thread more than half of its room')
  const top = () => feed.evaluate((element) => element.scrollTop)
  await until('the thread to stand still', async () => (await top()) === 0)
  await dock.getByRole('button', { name: 'Approve' }).hover()
  await page.mouse.wheel(0, 60)
  await until('the wheel over the card to move the thread', async () => (await top()) === 60)

  await dock.getByRole('button', { name: 'Approve' }).click()
  const left = row(page, 'run_command', 'approved').getByText('1 decision left')
  await page.mouse.move(room.x + room.width / 2, room.y + 40)
  await page.mouse.wheel(0, 5000)
  await left.waitFor()
  const end = () =>
    left.evaluate((element) => {
      const { right, top, height } = element.getBoundingClientRect()
      return document.elementFromPoint(right - 2, top + height / 2)?.textContent
    })
  await until('the end of what is left to decide', async () => (await end()) === '1 decision left')
  await picture(page, 'narrow')
  assert.deepEqual(page.faults, [])
})

test('a row says whole how many decisions are left, and its ring lies outside of what it holds', async (t) => {
  const { states } = await gallery(t)
  const lines = states.map((line) => line.replace('rule:tags of releases', 'rule:every tag and branch of a release'))
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const door = await gate(t, studio, thread.id, lines)
  door.let(lines.length)
  const page = await open(t, door.address)
  for (const size of [{ width: 1280, height: 800 }, small, { width: 480, height: 800 }]) {
    await page.setViewportSize(size)
    const left = row(page, 'tag', 'approved').getByText('1 decision left')
    await left.waitFor()
    await until(`all of it at ${size.width} px`, () =>
      left.evaluate((element) => {
        const line = element.closest('[data-line]').getBoundingClientRect()
        const { left, right } = element.getBoundingClientRect()
        return element.scrollWidth <= element.clientWidth && left >= line.left && right <= line.right
      }),
    )
  }

  await row(page, 'tag', 'approved').focus()
  await page.keyboard.press('ArrowUp')
  const focused = row(page, 'run_command', 'waiting')
  await until('the row above to have the focus', () =>
    focused.evaluate((element) => element === document.activeElement),
  )
  const ring = await focused.evaluate((element) => {
    const { content, outlineStyle, left, right, zIndex } = getComputedStyle(element, '::after')
    return { content, outlineStyle, left, right, zIndex }
  })
  assert.deepEqual(ring, { content: '""', outlineStyle: 'solid', left: '-8px', right: '-8px', zIndex: '10' })
  assert.deepEqual(page.faults, [])
})

test('a message that was typed in a wide window is seen whole in a narrow one', async (t) => {
  const studio = await serve(t)
  const page = await open(t, studio.address, { width: 1280, height: 800 })
  await composer(page).fill('Move the greeter to port 9090, run its checks, and release it to staging.')
  const lines = () => composer(page).evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])
  const [one] = await lines()
  await page.setViewportSize({ width: 480, height: 800 })
  await until('room for its second line', async () => {
    const [height, needed] = await lines()
    return height > one && needed <= height
  })
  assert.deepEqual(page.faults, [])
})

test('what a model writes as HTML stands there as text, and a command that exits with 3 is a warning', async (t) => {
  const text =
    '<img src="x" onerror="alert(1)"> and [a link](javascript:alert(2)) and ![a chart](https://a.example/b.png)'
  const path = await script(t, [{ text }, ...calls(['c1', 'run_command', { command: 'exit 3' }])], says('Done.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, small)
  await button(page, 'Approve').first().click()
  const line = row(page, 'run_command', 'done').locator('[data-status]')
  await line.waitFor()
  assert.equal(await line.innerText(), 'exit 3')
  assert.match((await line.getAttribute('class')) ?? '', /text-wait/)
  const answer = page.locator('.prose').first()
  assert.match(await answer.innerText(), /<img src="x" onerror="alert\(1\)">.*a chart \(remote image, not loaded\)/)
  assert.deepEqual(await answer.locator('a').allInnerTexts(), ['remote image, not loaded'])
  assert.deepEqual(page.faults, [], 'nothing of it was tried')
})
