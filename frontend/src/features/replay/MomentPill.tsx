import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs'
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useCellPart } from '../../state/cell'
import { isMoment } from '../../state/moments'
import type { Playback } from '../../state/playback'
import type { Row } from '../../state/rows'
import { Icon } from '../../ui/Icon'

/** So much of a row, in px, has to be in view. */
const enough = 24

interface Props {
  playback: Playback
  rows: readonly Row[]
  scroller: RefObject<HTMLElement | null>
  list: RefObject<VirtualizerHandle | null>
  /** Whether the reader has just used the thread. */
  byHand: () => boolean
}

/**
 * Brings the row an event touched into view as a run is stepped or played. Once the reader has scrolled away from it the view stays
 * where they put it, and a pill leads back.
 */
export function MomentPill({ playback, rows, scroller, list, byHand }: Props) {
  const at = useCellPart(playback.state, (state) => state.at)
  const [away, setAway] = useState(false)
  const [side, setSide] = useState<'above' | 'below'>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the playback is about changes with its event
  const index = useMemo(() => momentIndex(playback, rows), [playback, rows, at])

  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const look = () => {
      const now = sideOf(box, list.current, rows[index]?.key, index)
      setSide(now)
      if (!now) setAway(false)
      else if (byHand()) setAway(true)
    }
    box.addEventListener('scroll', look, { passive: true })
    return () => box.removeEventListener('scroll', look)
  }, [scroller, list, rows, index, byHand])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each event is looked for, also one that changed no row
  useLayoutEffect(() => {
    const now = scroller.current ? sideOf(scroller.current, list.current, rows[index]?.key, index) : undefined
    setSide(now)
    if (now && !away) list.current?.scrollToIndex(index, { align: 'nearest' })
  }, [scroller, list, rows, index, away, at])

  if (!away || !side) return null
  return (
    <button
      type="button"
      onClick={() => setAway(false)}
      className="absolute bottom-3 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-2 rounded-full border border-faint bg-raised px-3 text-small text-text shadow-popover hover:border-accent"
    >
      <Icon node={side === 'above' ? ArrowUp : ArrowDown} size={14} />
      To the event’s row
    </button>
  )
}

/** The index of the row that shows what the event is about, or of the closed one that holds it; -1 when there is none. */
function momentIndex(playback: Playback, rows: readonly Row[]): number {
  const { id, transcript } = playback.run
  for (let key = playback.itemKey; key !== undefined; ) {
    const itemKey = key
    const rowKey = `${id}/${itemKey}`
    // Most rows bear the item's key in their own: there may be ten thousand to look through at every step.
    const index = rows.findLastIndex(
      (row) =>
        row.key === rowKey || ((row.kind === 'group' || row.kind === 'message') && isMoment(playback, row, itemKey)),
    )
    if (index >= 0) return index
    const parent: string | undefined = key.startsWith('call:')
      ? transcript.calls.get(key.slice('call:'.length))?.parentToolCallId
      : undefined
    key = parent === undefined ? undefined : `call:${parent}`
  }
  return -1
}

/** On which side of the view a row is out of sight; undefined when it is in view, or no row. */
function sideOf(
  box: HTMLElement,
  list: VirtualizerHandle | null,
  key: string | undefined,
  index: number,
): 'above' | 'below' | undefined {
  if (key === undefined || !list) return undefined
  const row = box.querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (!row) return index < list.findItemIndex(list.scrollOffset) ? 'above' : 'below'
  const { top, bottom } = row.getBoundingClientRect()
  const view = box.getBoundingClientRect()
  const part = Math.min(enough, bottom - top)
  if (bottom < view.top + part) return 'above'
  return top > view.bottom - part ? 'below' : undefined
}
