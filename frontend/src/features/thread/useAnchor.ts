import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Row } from '../../state/rows'

/**
 * Keeps what the reader looks at where it is when rows above it come or go: a dropped call, a group that folds. The list knows
 * sizes only by place, so the place is looked up again.
 */
export function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
  rows: readonly Row[],
  following: boolean,
): () => void {
  const anchor = useRef<{ key: string; index: number; offset: number }>(undefined)
  const current = useRef(rows)

  const remember = useCallback(() => {
    const handle = list.current
    if (!handle || !scroller.current) return
    const { scrollTop } = scroller.current // the list hears of a scroll later
    const index = handle.findItemIndex(scrollTop)
    const key = current.current[index]?.key
    anchor.current = key === undefined ? undefined : { key, index, offset: scrollTop - handle.getItemOffset(index) }
  }, [scroller, list])

  useLayoutEffect(() => {
    if (current.current === rows) return
    current.current = rows
    const was = anchor.current
    const handle = list.current
    if (!was || !handle || following || rows[was.index]?.key === was.key) return
    const index = rows.findIndex((row) => row.key === was.key)
    if (index >= 0) handle.scrollTo(handle.getItemOffset(index) + was.offset)
    remember()
  }, [rows, following, list, remember])

  return remember
}
