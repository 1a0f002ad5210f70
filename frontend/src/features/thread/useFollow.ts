import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ThreadStore } from '../../state/threadStore'

/** So near to the end, in px, the reader counts as being at it. */
const nearEnd = 8

export interface Follow {
  following: boolean
  /** Rows that came since the reader left the tail. */
  missed: number
  /** Goes to the tail and stays there. */
  follow(): void
  onScroll(): void
}

/**
 * Keeps the end of the thread in view while the reader is there. Scrolling up stops it, scrolling to the end starts it again;
 * while it is stopped nothing moves the view.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  store: ThreadStore,
  rows: number,
): Follow {
  const [following, setFollowing] = useState(true)
  const now = useRef(true)
  const lastTop = useRef(0)
  const left = useRef(rows)

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

  const toEnd = useCallback(() => {
    const element = scroller.current
    if (element) element.scrollTop = element.scrollHeight
  }, [scroller])

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, scrollHeight, clientHeight } = element
    if (scrollHeight - scrollTop - clientHeight <= nearEnd) set(true)
    else if (scrollTop < lastTop.current - 1) set(false)
    lastTop.current = scrollTop
  }, [scroller, set])

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => now.current && toEnd())
    for (const element of [scroller.current, content.current]) if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, content, toEnd])

  useLayoutEffect(() => {
    if (rows > 0 && now.current) toEnd()
  }, [rows, toEnd])

  const follow = useCallback(() => {
    set(true)
    toEnd()
  }, [set, toEnd])

  return { following, missed: following ? 0 : Math.max(0, rows - left.current), follow, onScroll }
}
