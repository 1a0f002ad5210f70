import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ThreadStore } from '../../state/threadStore'

/** So near to the end, in px, the reader counts as being at it. */
const nearEnd = 8
/** So long after a wheel, touch, press or key, in ms, a scroll counts as the reader's. */
const handTime = 1000

export interface Follow {
  following: boolean
  /** Rows that came since the reader left the tail. */
  missed: number
  /** Goes to the tail and stays there. */
  follow(): void
  /** The reader was taken elsewhere. */
  leave(): void
  onScroll(): void
  /** The reader used a wheel, a finger, a button or a key on the thread. */
  onHand(): void
  /** Whether they did so just now. */
  byHand(): boolean
  /** The reader opens or closes something: it keeps its place, unless a run goes on at the end. */
  onOpen(): void
}

/**
 * Keeps the end of the thread in view while the reader is there. Scrolling up stops it, scrolling to the end starts it again, and
 * what one opens in a thread that is idle stops it; while it is stopped nothing moves the view. above is how many of the rows were
 * just put above the others.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  store: ThreadStore,
  rows: number,
  above: number,
  idle: boolean,
): Follow {
  const [following, setFollowing] = useState(true)
  const now = useRef(true)
  const last = useRef({ top: 0, height: 0 })
  const hand = useRef(0)
  const left = useRef(rows)
  const opened = useRef(false)

  const set = useCallback(
    (next: boolean) => {
      if (now.current === next) return
      now.current = next
      store.folding.following = next
      if (!next) left.current = store.rows.get().length
      setFollowing(next)
    },
    [store],
  )

  const byHand = useCallback(() => Date.now() - hand.current < handTime, [])

  const toEnd = useCallback(() => {
    const element = scroller.current
    if (element) element.scrollTop = element.scrollHeight
  }, [scroller])

  const keep = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, scrollHeight, clientHeight } = element
    if (opened.current && idle) set(scrollHeight - scrollTop - clientHeight <= 1)
    else if (now.current) toEnd()
  }, [scroller, set, toEnd, idle])

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, scrollHeight, clientHeight } = element
    const { top, height } = last.current
    // When rows are measured the list corrects its own place: that is nobody scrolling up.
    const moved = height === scrollHeight || byHand()
    if (scrollHeight - scrollTop - clientHeight <= nearEnd) set(true)
    else if (scrollTop < top - 1 && moved) set(false)
    last.current = { top: scrollTop, height: scrollHeight }
  }, [scroller, set, byHand])

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => {
      keep()
      opened.current = false
    })
    for (const element of [scroller.current, content.current]) if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, content, keep])

  useLayoutEffect(() => {
    if (rows > 0) keep()
  }, [rows, keep])

  useLayoutEffect(() => {
    left.current += above
  })

  const follow = useCallback(() => {
    set(true)
    toEnd()
  }, [set, toEnd])

  const leave = useCallback(() => set(false), [set])

  const onHand = useCallback(() => {
    hand.current = Date.now()
  }, [])

  const onOpen = useCallback(() => {
    opened.current = true
  }, [])

  return {
    following,
    missed: following ? 0 : Math.max(0, rows - above - left.current),
    follow,
    leave,
    onScroll,
    onHand,
    byHand,
    onOpen,
  }
}
