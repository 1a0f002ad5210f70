// What a machine can tell of how a page looks.
import { readFile } from 'node:fs/promises'
import { until } from '../e2e/harness.mjs'

const axeSource = await readFile(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** Waits until nothing on the page is on its way in or out: what fades has neither its place nor its colours. */
async function comesToRest(page) {
  await until('what comes and goes on the page to be there or gone', () =>
    page.evaluate(() => {
      const passes = ({ effect, playState }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity
      return (
        !document.querySelector('[data-starting-style], [data-ending-style]') && !document.getAnimations().some(passes)
      )
    }),
  )
}

/** What axe finds on the page, a line each. */
export async function axeFaults(page) {
  await comesToRest(page)
  await page.evaluate(axeSource)
  return await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    )
  })
}

/** What does not fit beside something, and text that stands over text, a line each. */
export async function layoutFaults(page) {
  await comesToRest(page)
  return await page.evaluate(() => {
    const faults = []
    const name = (element) => `${element.tagName.toLowerCase()}.${String(element.className).slice(0, 60)}`

    const root = document.scrollingElement
    if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth - innerWidth} px too wide`)
    const panes = '[role=feed], main, aside, nav, body > #root header, [role=dialog], [role=dialog] > div, [role=tabpanel]'
    for (const pane of document.querySelectorAll(panes)) {
      const by = pane.scrollWidth - pane.clientWidth
      if (by > 1 && pane.clientWidth > 0) faults.push(`${name(pane)} has ${by} px beside it`)
      const box = pane.getBoundingClientRect()
      if (box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)) faults.push(`${name(pane)} leaves the window`)
    }

    /** What is seen of a box: what no scrolling or hiding ancestor cuts off. */
    const seen = (box, element) => {
      let { left, right, top, bottom } = box
      for (let at = element; at && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at)
        if (style.visibility === 'hidden' || style.opacity === '0') return undefined
        if (style.overflowX === 'visible' && style.overflowY === 'visible' && style.clipPath === 'none') continue
        const edge = at.getBoundingClientRect()
        left = Math.max(left, edge.left)
        right = Math.min(right, edge.right)
        top = Math.max(top, edge.top)
        bottom = Math.min(bottom, edge.bottom)
      }
      return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : undefined
    }
    const texts = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      if (!node.nodeValue.trim() || !element || element.closest('script, style')) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects()) {
        const box = seen(rect, element)
        if (box && box.bottom > 0 && box.top < innerHeight) texts.push({ ...box, element, text: node.nodeValue.trim() })
      }
    }
    /** Whether something between an element and its ancestor lies over what is beside it, and hides that. */
    const covers = (element, ancestor) => {
      let [over, filled] = [false, false]
      for (let at = element; at && at !== ancestor; at = at.parentElement) {
        const { position, backgroundColor } = getComputedStyle(at)
        over ||= position !== 'static'
        filled ||= !/rgba\(.*, 0\)|transparent/.test(backgroundColor)
      }
      return over && filled
    }
    texts.sort((a, b) => a.top - b.top)
    for (const [i, a] of texts.entries()) {
      for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 3; j++) {
        const b = texts[j]
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (a.element === b.element || across <= 3 || down <= 3) continue
        let common = a.element
        while (common && !common.contains(b.element)) common = common.parentElement
        if (common === a.element || common === b.element || covers(a.element, common) || covers(b.element, common)) continue
        faults.push(`“${a.text.slice(0, 40)}” and “${b.text.slice(0, 40)}” stand over each other`)
      }
    }
    return [...new Set(faults)].slice(0, 12)
  })
}
