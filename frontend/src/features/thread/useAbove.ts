import { useLayoutEffect, useRef } from 'react'
import type { Row } from '../../state/rows'

/** How many rows were just put above those that were there; 0 when the list changed in any other way. */
export function useAbove(rows: readonly Row[]): number {
  const before = useRef(rows)
  const was = before.current
  const above = was[0]?.kind === 'earlier' && rows[1]?.key !== was[1]?.key ? Math.max(0, rows.length - was.length) : 0
  useLayoutEffect(() => {
    before.current = rows
  }, [rows])
  return above
}
