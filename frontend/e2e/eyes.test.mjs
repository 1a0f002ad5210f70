// For eyes that want no motion, and for those that want everything twice as large.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { layoutFaults } from '../bench/looks.mjs'
import { calls, closeBrowser, folder, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, row, rows } from './thread.mjs'

after(closeBrowser)

/** What puts up each of the places that come over the thread, and words it has once it is there. */
const places = {
  palette: ['Control+k', 'New thread'],
  inbox: ['Control+j', /^Nothing waits for you\.$|echo one/],
  settings: ['Control+,', 'Add a server'],
  keyboard: ['Control+/', 'Settings'],
}

/** Puts up each of the places, looks at it, and takes it away. */
async function lookAtPlaces(page, look) {
  for (const [name, [keys, words]] of Object.entries(places)) {
    await page.keyboard.press(keys)
    await page.getByRole('dialog').getByText(words).first().waitFor()
    await look(name)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
}

/** What moves on the page, or would: a line each. */
const moving = (page) =>
  page.evaluate(() => {
    const faults = []
    for (const animation of document.getAnimations()) {
      const { target } = animation.effect
      const { duration } = animation.effect.getComputedTiming()
      if (duration > 0) faults.push(`${target.tagName} ${target.getAttribute('class')} runs for ${duration} ms`)
    }
    for (const element of document.querySelectorAll('body *')) {
      const style = getComputedStyle(element)
      const lasts = (times) => times.split(', ').some((time) => Number.parseFloat(time) > 0)
      const name = `${element.tagName} ${element.getAttribute('class')}`
      if (lasts(style.transitionDuration)) faults.push(`${name} takes ${style.transitionDuration} to change`)
      if (style.animationName !== 'none') faults.push(`${name} is animated by ${style.animationName}`)
      if (style.scrollBehavior === 'smooth') faults.push(`${name} scrolls smoothly`)
    }
    return [...new Set(faults)]
  })

/** A page on a run that streams for long. */
async function live(t, context) {
  const path = await script(t, [{ text: 'I think.' }, { delayMs: 600_000 }, ...says('.')])
  const studio = await serve(t, { args: ['--script', path] })
  const run = await start(studio, 'Go.', { agent: 'demo' })
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, context)
  await rows(page).filter({ hasText: 'I think.' }).waitFor()
  return { page, studio, run }
}

test('with reduced motion nothing moves, and what turns elsewhere stands and is seen', async (t) => {
  const { page } = await live(t, { reducedMotion: 'reduce' })
  const spinner = page.locator('.spin-steps').first()
  await spinner.waitFor()
  const { width, height } = await spinner.boundingBox()
  assert.ok(width >= 12 && height >= 12, `the ring is ${width} × ${height} px`)
  assert.deepEqual(await moving(page), [])
  await lookAtPlaces(page, async (name) => assert.deepEqual(await moving(page), [], name))
  await button(page, 'Play back (P)').click()
  await page.getByRole('slider', { name: 'Event' }).waitFor()
  assert.deepEqual(await moving(page), [], 'playback')
  assert.deepEqual(page.faults, [])
})

test('without the wish for it the same ring turns', async (t) => {
  const { page } = await live(t)
  await until('a ring that turns', async () => (await moving(page)).some((fault) => fault.includes('spin-steps')))
})

/** The controls of what lies over all else that cannot be brought on the screen and pressed there: a line each. */
const unreachable = (page, top) =>
  page.evaluate(async (selector) => {
    const over = document.querySelector(selector)
    const controls = (over ?? document).querySelectorAll(
      'button, a[href], input, textarea, select, [role=slider], [role=tab]',
    )
    const faults = []
    for (const control of controls) {
      if (control.disabled || control.closest('[inert], [aria-hidden=true], .sr-only')) continue
      const { visibility, display } = getComputedStyle(control)
      if (visibility === 'hidden' || display === 'none' || control.getClientRects().length === 0) continue
      if (control.closest('[role=article]') && control.tabIndex < 0) continue // the row's keys do what it does
      control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
      await new Promise((resolve) => requestAnimationFrame(resolve))
      if (!control.isConnected) continue
      const { left, top, width, height } = control.getBoundingClientRect()
      if (width < 2 || height < 2) continue // a field that another one stands for
      const there = document.elementFromPoint(left + width / 2, top + height / 2)
      if (there && (control.contains(there) || there.contains(control) || there.closest('label')?.contains(control)))
        continue
      const name = control.getAttribute('aria-label') || control.innerText || control.getAttribute('placeholder')
      faults.push(
        `${control.tagName} “${name}” at ${Math.round(left)}, ${Math.round(top)} is under ${there?.tagName} ${there?.getAttribute('class')}`,
      )
    }
    return faults
  }, top)

test('at 200 % nothing overflows, and every control can be reached', async (t) => {
  const asked = [['one', 'run_command', { command: 'echo one && echo two' }]]
  const path = await script(t, [{ text: 'A line of what I do.\n\n'.repeat(20) }, ...calls(...asked)], says('Done.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Go.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`, { width: 640, height: 400, deviceScaleFactor: 2 })
  await row(page, 'run_command', 'waiting').getByRole('button', { name: 'Approve' }).waitFor()
  const fits = async (name, top = '[role=dialog]') => {
    assert.deepEqual([await layoutFaults(page), await unreachable(page, top)], [[], []], name)
  }
  await fits('the thread')
  await lookAtPlaces(page, (name) => fits(name))
  await page.keyboard.press('Control+i')
  await page.getByRole('tab', { name: 'Timeline' }).waitFor()
  await fits('the inspector')
  await page.keyboard.press('Control+i')
  await page.getByRole('tab', { name: 'Timeline' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+b')
  await page.getByRole('navigation', { name: 'Threads' }).waitFor()
  await fits('the list of threads', 'aside:has(nav[aria-label=Threads])')
  await page.keyboard.press('Control+b')
  await page.getByRole('navigation', { name: 'Threads' }).waitFor({ state: 'detached' })
  await button(page, 'Play back (P)').click()
  await page.getByRole('slider', { name: 'Event' }).waitFor()
  await fits('playback')
  assert.deepEqual(page.faults, [])
})
