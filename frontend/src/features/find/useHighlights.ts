import { useEffect } from 'react'
import { useApp } from '../../state/app'
import { pattern } from './matches'

/** No more places than this are marked at a time. */
const most = 2000
/** So long, in ms, a row that was found may take to open. */
const opening = 600

/** Marks what was searched for in the rows that are drawn, and brings its first place in the row that was found into view. */
export function useHighlights(query: string): void {
  const app = useApp()
  useEffect(() => {
    const feed = document.querySelector('[role="feed"][aria-label="Thread"]')
    const wanted = pattern(query)
    if (!feed || !wanted || typeof Highlight === 'undefined') return
    let frame = 0
    let foundAt = performance.now()
    /** What was searched for has been brought into view. */
    let shown = false
    const paint = () => {
      frame = 0
      const key = app.found.get()
      const here = new Highlight()
      const elsewhere = new Highlight()
      for (const range of rangesIn(feed, wanted)) {
        const row = range.startContainer.parentElement?.closest('[data-key]')
        if (row?.getAttribute('data-key') === key) here.add(range)
        else elsewhere.add(range)
      }
      CSS.highlights.set('found', elsewhere)
      CSS.highlights.set('found-here', here)
      const [first] = here
      const found = feed.querySelector('[data-found][aria-posinset]')
      const place = first instanceof Range ? first : found
      // The row itself stands in for it while it opens, and where its words are drawn in other signs.
      if (!place || shown || (place === found && performance.now() - foundAt > opening)) return
      shown = place !== found
      const { top, bottom } = place.getBoundingClientRect()
      const box = feed.getBoundingClientRect()
      if (top < box.top || bottom > box.bottom) feed.scrollBy({ top: top - box.top - box.height / 3 })
    }
    const later = () => {
      frame ||= requestAnimationFrame(paint)
    }
    later()
    const observer = new MutationObserver(later)
    observer.observe(feed, { subtree: true, childList: true, characterData: true, attributeFilter: ['data-found'] })
    const stop = app.found.subscribe(() => {
      shown = false
      foundAt = performance.now()
      later()
    })
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
      stop()
      CSS.highlights.delete('found')
      CSS.highlights.delete('found-here')
    }
  }, [app, query])
}

function* rangesIn(root: Element, wanted: RegExp): Generator<Range> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  let left = most
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const found of (node.nodeValue ?? '').matchAll(wanted)) {
      if (--left < 0) return
      const range = new Range()
      range.setStart(node, found.index)
      range.setEnd(node, found.index + found[0].length)
      yield range
    }
  }
}
