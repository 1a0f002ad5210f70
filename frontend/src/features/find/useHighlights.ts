import { useEffect } from 'react'
import { useApp } from '../../state/app'
import { pattern } from './texts'

/** No more places than this are marked at a time. */
const most = 2000
/** So long, in ms, a row that was found may take to open, and is held in view after that: on a slow machine longer, so many frames. */
const opening = 600
const frames = 36

/** Marks what was searched for in the rows that are drawn, and brings its first place in the row that was found into view. */
export function useHighlights(query: string): void {
  const app = useApp()
  useEffect(() => {
    const feed = document.querySelector('[role="feed"][aria-label="Thread"]')
    const wanted = pattern(query)
    if (!feed || !wanted || typeof Highlight === 'undefined') return
    let frame = 0
    let holding = 0
    let held: Range | Element | undefined
    let foundAt = performance.now()
    /** What was searched for has been brought into view. */
    let shown = false
    const paint = () => {
      frame = 0
      const key = app.found.get()?.key
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
      if (holding && first instanceof Range) held = first // what was held may be drawn anew, as in colours
      // The row itself stands in for it while it opens, and where its words are drawn in other signs.
      if (!place || shown || (place === found && performance.now() - foundAt > opening)) return
      shown = place !== found
      held = place
      if (shown) hold(performance.now() + opening, frames)
      else bring(place, feed)
    }
    /** The list goes on bringing the row into view while it grows: its place is held against that, but not against the reader. */
    const hold = (until: number, left: number) => {
      if (held) bring(held, feed)
      const more = left > 0 || performance.now() < until
      holding = more ? requestAnimationFrame(() => hold(until, left - 1)) : 0
    }
    const letGo = () => {
      cancelAnimationFrame(holding)
      holding = 0
    }
    const later = () => {
      frame ||= requestAnimationFrame(paint)
    }
    later()
    const observer = new MutationObserver(later)
    observer.observe(feed, { subtree: true, childList: true, characterData: true, attributeFilter: ['data-found'] })
    const hands = ['wheel', 'pointerdown', 'keydown'] as const
    for (const hand of hands) feed.addEventListener(hand, letGo, { passive: true })
    const stop = app.found.subscribe(() => {
      letGo()
      shown = false
      foundAt = performance.now()
      later()
    })
    return () => {
      cancelAnimationFrame(frame)
      letGo()
      for (const hand of hands) feed.removeEventListener(hand, letGo)
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
  for (let node = walker.nextNode(); node; ) {
    const line = lineOf(node)
    const nodes: Node[] = []
    for (; node && lineOf(node) === line; node = walker.nextNode()) nodes.push(node)
    const text = nodes.map(({ nodeValue }) => nodeValue).join('')
    for (const found of text.matchAll(wanted)) {
      if (--left < 0) return
      const range = new Range()
      range.setStart(...placeIn(nodes, found.index))
      range.setEnd(...placeIn(nodes, found.index + found[0].length - 1, 1))
      yield range
    }
  }
}

/** What stands within a line of text: a word in a colour, a change of a line, a link. */
const within = new Set(['SPAN', 'CODE', 'A', 'B', 'STRONG', 'I', 'EM', 'DEL', 'BUTTON'])

/** The box whose text a node is a piece of. */
function lineOf(node: Node): Element | null {
  let at = node.parentElement
  while (at && within.has(at.tagName)) at = at.parentElement
  return at
}

/** The node that holds the character at index of their joined text, and the character's place in it, or so many further. */
function placeIn(nodes: readonly Node[], index: number, further = 0): [Node, number] {
  let left = index
  for (const node of nodes) {
    const length = node.nodeValue?.length ?? 0
    if (left < length) return [node, left + further]
    left -= length
  }
  throw new RangeError(`no character ${index} in ${nodes.length} texts`)
}

/** Brings a place into view in the feed, and in the boxes within it that scroll by themselves. */
function bring(place: Range | Element, feed: Element): void {
  let at = place instanceof Range ? place.startContainer.parentElement : place.parentElement
  if (!at?.isConnected) return
  for (; at; at = at === feed ? null : at.parentElement) {
    if (at.scrollHeight <= at.clientHeight || !/auto|scroll/.test(getComputedStyle(at).overflowY)) continue
    const { top, bottom } = place.getBoundingClientRect()
    const box = at.getBoundingClientRect()
    if (top < box.top || bottom > box.bottom) at.scrollBy({ top: top - box.top - box.height / 3 })
  }
}
