import { type RefObject, useCallback, useEffect, useState } from 'react'
import type { RunCall } from '../../state/threadStore'

/** So much of the end of a card, in px, has to be in view for its decision to count as on the screen. */
const enough = 48

/**
 * The call to dock above the composer: the first that waits, when no card that waits has its decision on the screen. The
 * returned function looks again.
 */
export function useDocked(
  scroller: RefObject<HTMLElement | null>,
  waiting: RunCall[],
): [RunCall | undefined, () => void] {
  const [docked, setDocked] = useState<RunCall>()

  const look = useCallback(() => {
    const box = scroller.current?.getBoundingClientRect()
    if (!box || waiting.length === 0) {
      setDocked(undefined)
      return
    }
    const seen = waiting.some(({ call }) => {
      const card = scroller.current?.querySelector(`[data-approval-id="${CSS.escape(call.approvalId ?? '')}"]`)
      const bottom = card?.getBoundingClientRect().bottom
      return bottom !== undefined && bottom <= box.bottom + 1 && bottom >= box.top + enough
    })
    setDocked(seen ? undefined : waiting[0])
  }, [scroller, waiting])

  useEffect(() => {
    // Once the rows of what began to wait are laid out, and the view has followed them.
    const timer = setTimeout(look, 100)
    return () => clearTimeout(timer)
  }, [look])

  return [docked, look]
}
