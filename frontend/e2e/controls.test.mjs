// What every control of the window does.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { closeBrowser, open, until } from './harness.mjs'
import { button, row, waiting } from './thread.mjs'

after(closeBrowser)

/** The enabled controls on the screen by their names; the ones that are chosen already have nothing to do. */
function controls() {
  const all = '[role=dialog] :is(button, a[href], [role=tab], [role=combobox], input[type=checkbox])'
  const inDialog = document.querySelector('[role=dialog]:not([aria-modal=false])') !== null
  const found = [...document.querySelectorAll(inDialog ? all : all.replace('[role=dialog] ', ''))].filter((at) => {
    const box = at.getBoundingClientRect()
    const inert = at.matches(':disabled, [aria-disabled=true], [aria-selected=true], [aria-current=page]')
    return box.width > 1 && box.height > 1 && !inert && at.checkVisibility()
  })
  const names = new Map()
  return found.map((at) => {
    const words = at.getAttribute('aria-label') ?? at.innerText.replace(/\s+/g, ' ').trim() ?? at.title
    const name = at.matches('[data-thread-id]') ? 'a thread' : words.replace(/\d+/g, 'N')
    const times = (names.get(name) ?? 0) + 1
    names.set(name, times)
    at.dataset.control = `${name} #${times}`
    return at.dataset.control
  })
}

/** What the page shows, but for what time alone changes in it. */
function shown() {
  const copy = document.body.cloneNode(true)
  for (const at of copy.querySelectorAll('[data-control]')) at.removeAttribute('data-control')
  return (
    copy.outerHTML.replace(/ tabindex="[^"]*"|\d+/g, '') +
    [...document.querySelectorAll('input')].map((at) => at.checked)
  )
}

/** What one looks at to see whether a press changed something, beside what is saved and what is asked for. */
const looks = async (page) => [await page.evaluate(shown), page.url(), await page.evaluate(() => window.copied)]

/** Where controls are, and what puts them up. */
const places = {
  thread: () => undefined,
  'new thread': async (page) => {
    await page.evaluate(() => (location.hash = '#/new'))
    await button(page, 'Send').waitFor()
  },
  settings: (page) => dialog(page, 'Control+,', 'Settings', 'Add a server'),
  inbox: (page) => dialog(page, 'Control+j', 'Waiting for you', 'echo ran'),
  keyboard: (page) => dialog(page, 'Control+/', 'Keyboard', 'Settings'),
  find: async (page) => {
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find in thread' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.insertText('run')
    await page.getByRole('search').getByText(/ of /).waitFor()
  },
  playback: async (page) => {
    await button(page, 'Play back (P)').click()
    const slider = page.getByRole('slider', { name: 'Event' })
    await slider.and(page.locator(':focus')).waitFor()
    const last = await slider.getAttribute('aria-valuenow')
    await page.keyboard.press('ArrowLeft')
    await until('an event back', async () => (await slider.getAttribute('aria-valuenow')) !== last)
  },
}

/** Opens a dialog, whose content is loaded when it is first opened. */
async function dialog(page, keys, name, words) {
  await page.keyboard.press(keys)
  await page.getByRole('dialog', { name }).getByText(words).first().waitFor()
}

/** Puts a place up in a page that is loaded anew, waits until it has a control and stands still, and returns its controls. */
async function put(page, address, place, control) {
  await page.goto('about:blank')
  await page.goto(address)
  await row(page, 'run_command', 'waiting').waitFor()
  await places[place](page)
  let before
  return await until(`${control ?? 'controls'} in ${place}`, async () => {
    const names = await page.evaluate(controls)
    const now = [names, await looks(page)]
    const moves = () => document.getAnimations().some(({ effect }) => effect.getComputedTiming().iterations === 1)
    const has = control === undefined || names.includes(control)
    if (has && isDeepStrictEqual(now, before) && !(await page.evaluate(moves))) return names
    before = now
    await page.waitForTimeout(100)
  })
}

/** A page on which nothing that is pressed is carried out, so that all can be pressed: the refusal is what changes. */
async function inert(page) {
  await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
  await page.addInitScript(() => {
    localStorage.clear()
    sessionStorage.clear()
    window.copied = ''
    // The system has but one, for all pages.
    Clipboard.prototype.writeText = async (text) => {
      window.copied = text
    }
  })
  return page
}

/** Presses a control, and says whether that changed something. */
async function changes(page, name) {
  const before = await looks(page)
  let system = false // a file is saved, or one is asked for
  const atSystem = () => (system = true)
  page.once('download', atSystem)
  page.once('filechooser', atSystem)
  const control = page.locator(`[data-control="${name.replaceAll('"', '\\"')}"]`)
  await control.click()
  const changed = async () =>
    system ||
    !isDeepStrictEqual(await looks(page), before) ||
    !(await control.evaluate((at) => at === document.activeElement).catch(() => false))
  const did = await until('a change', changed).catch(() => false)
  page.off('download', atSystem)
  page.off('filechooser', atSystem)
  return did
}

test('every enabled control changes something', async (t) => {
  const first = await waiting(t, { height: 1400 })
  const address = first.page.url()
  const another = () => open(t, `${first.studio.address}#/t/${first.run.threadId}`, { height: 1400 })
  const pages = [first.page, await another(), await another()]
  for (const page of pages) await inert(page)

  /** What stands in several places is pressed in the first. */
  const pressed = new Map()
  for (const place of Object.keys(places)) {
    const names = await put(first.page, address, place)
    assert.ok(names.length > 0, `${place} has controls`)
    for (const name of names) if (!pressed.has(name)) pressed.set(name, place)
  }
  const dead = []
  const next = pressed.entries()
  const press = async (page) => {
    for (const [name, place] of next) {
      await put(page, address, place, name)
      if (!(await changes(page, name))) dead.push(`${place}: ${name}`)
    }
  }
  await Promise.all(pages.map(press))
  console.log(`      ${pressed.size} controls pressed`)
  assert.deepEqual(dead, [])
})
