// A page on a gate that says what it shows once it has read and drawn all that was let through.
import { open, patience } from './harness.mjs'
import { rowsShown } from './thread.mjs'

/** Long after every log: what counts from an event to now stands still. */
const now = Date.UTC(2030, 0, 1)

/** A page on a gate, tall enough for every row, with a clock that stands still and nothing that turns: frames cost time. */
export async function watch(t, through) {
  const page = await open(t, 'about:blank', { height: 6000, reducedMotion: 'reduce' })
  await page.clock.setFixedTime(now)
  await page.addInitScript(noteReading)
  await page.addInitScript(`window.rowsShown = ${rowsShown}; window.look = ${lookInside}`)
  await page.goto(through.address)
  return page
}

/** Waits until the page has drawn all that the gate lets through, the calls inside of others too, and returns it. */
export async function look(page, through, parents = []) {
  const rows = await page.evaluate(
    ([last, ids, ms]) => window.look(last, ids, ms),
    [through.count(), parents, patience],
  )
  if (rows) return rows
  throw new Error(`waited ${patience / 1000} s for the page to read ${through.count()} events and to stand still`)
}

/**
 * In the page, where no frame is missed and none is asked for over a wire: waits until it has read the given number of events and
 * two frames show the same, all of it laid out, and returns that; after so many ms nothing.
 */
async function lookInside(last, parents, ms) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isDrawn = () => {
    // The list hides its rows until it has laid out every one.
    const rows = [...document.querySelectorAll('[role=feed] [role=article]')]
    const total = Number(rows[0]?.ariaSetSize ?? 0)
    return rows.length === total && rows.every((row) => row.checkVisibility({ visibilityProperty: true }))
  }
  // Which calls with others inside are open is the reader's, not the log's: one that opened by itself stays open for who watched
  // it, and is closed for who comes later.
  const unfold = () => {
    for (const id of parents) {
      const toggle = document.querySelector(`[data-call-id="${id}"] [aria-expanded]`)
      if (toggle?.ariaExpanded === 'false') toggle.click()
    }
  }
  const end = performance.now() + ms
  const late = new Promise((resolve) => setTimeout(resolve, ms, 'late'))
  while (window.readUpTo !== last) {
    if ((await Promise.race([window.reading, late])) === 'late') return undefined
  }
  for (let before; performance.now() < end; ) {
    unfold()
    await frame()
    const rows = window.rowsShown()
    const now = JSON.stringify(rows)
    if (now === before && isDrawn()) return rows
    before = now
  }
  return undefined
}

/** In the page: notes up to which event it has read, once its own code has had the answer. */
function noteReading() {
  const real = window.fetch
  let ring
  const next = () => {
    window.reading = new Promise((resolve) => (ring = resolve))
  }
  next()
  window.fetch = async (...args) => {
    const response = await real(...args)
    if (!/\/runs\/[^/]+\/events\?/.test(response.url)) return response
    const text = response.text.bind(response)
    response.text = async () => {
      const body = await text()
      setTimeout(() => {
        window.readUpTo = Number(/"last":(\d+)[^\]]*$/.exec(body)?.[1])
        ring()
        next()
      })
      return body
    }
    return response
  }
}
