// Whether a frame shows blank space between rows while the wheel goes through a thread of 10,000 calls.
import { open, until } from '../e2e/harness.mjs'
import { opens, rows } from '../e2e/thread.mjs'
import { report } from './report.mjs'
import { lastWords, mixed, played } from './threads.mjs'

const steps = 200

export async function bench(t) {
  const { studio, run } = await played(t, mixed(98, 103))
  const page = await open(t, studio.address)
  await page.getByRole('button', { name: 'New thread', exact: true }).first().waitFor()
  await opens(page, run.threadId, lastWords)
  await until('all rows', async () => Number(await rows(page).last().getAttribute('aria-setsize')) > 0)
  await page.mouse.move(640, 400)
  await page.evaluate(watch)
  for (const [name, by] of [
    ['a_notch', 120],
    ['a_flick', 600],
  ]) {
    for (const up of [true, false]) {
      await page.waitForTimeout(500) // a hand that turns back comes to rest first
      await page.evaluate(() => window.watched(true))
      for (let i = 0; i < steps; i++) {
        await page.mouse.wheel(0, up ? -by : by)
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
      }
      const { frames, blank, largest, travelled } = await page.evaluate(() => window.watched(false))
      if (travelled < (steps * by) / 2) throw new Error(`${steps} wheel steps moved the thread by ${travelled} px`)
      const figures = [
        [blank, 'blank-frames'],
        [largest, 'px-largest-gap', 1],
        [frames, 'frames'],
      ]
      report(`wheel_by_${name}_${up ? 'up' : 'down'}`, steps, ...figures)
    }
  }
  if (page.faults.length > 0) throw new Error(page.faults.join('\n'))
}

/**
 * Looks at each frame right before it is painted: an observer of sizes that was made last is called after all that moves rows.
 * What no row covers, between the first and the last of the thread, is blank.
 */
function watch() {
  const feed = document.querySelector('[role=feed]')
  const seen = { frames: 0, blank: 0, largest: 0, travelled: 0 }
  let on = false
  let last = 0
  const look = () => {
    if (!on) return
    const view = feed.getBoundingClientRect()
    const boxes = [...feed.querySelectorAll('[role=article]')]
      .map((row) => ({ row, box: row.parentElement.getBoundingClientRect() }))
      .filter(({ row, box }) => box.height > 0 && getComputedStyle(row.parentElement).visibility !== 'hidden')
      .sort((a, b) => a.box.top - b.box.top)
    const first = boxes[0]
    let covered = first?.row.getAttribute('aria-posinset') === '1' ? first.box.top : view.top
    let gap = 0
    for (const { box } of boxes) {
      if (box.bottom <= view.top || box.top >= view.bottom) continue
      gap = Math.max(gap, box.top - covered)
      covered = Math.max(covered, box.bottom)
    }
    const end = boxes.at(-1)?.row
    const atEnd = end?.getAttribute('aria-posinset') === end?.getAttribute('aria-setsize')
    if (!atEnd) gap = Math.max(gap, view.bottom - covered)
    seen.frames++
    seen.largest = Math.max(seen.largest, gap)
    if (gap > 1) seen.blank++
    seen.travelled += Math.abs(feed.scrollTop - last)
    last = feed.scrollTop
  }
  const ticking = document.body.appendChild(document.createElement('i'))
  ticking.style.cssText = 'position:fixed;display:block;height:1px;visibility:hidden'
  new ResizeObserver(look).observe(ticking)
  const tick = () => {
    ticking.style.width = ticking.style.width === '1px' ? '2px' : '1px'
    requestAnimationFrame(tick)
  }
  tick()
  window.watched = (begin) => {
    const before = { ...seen }
    if (begin) Object.assign(seen, { frames: 0, blank: 0, largest: 0, travelled: 0 })
    last = feed.scrollTop
    on = begin
    return before
  }
}
