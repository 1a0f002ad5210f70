import RotateCcwClock from 'lucide/dist/esm/icons/rotate-ccw-clock.mjs'
import { momentOf } from '../../state/moments'
import type { Row } from '../../state/rows'
import { IconButton } from '../../ui/Button'
import { useGoToMoment } from './useGoToMoment'

/** On a row that has no menu: leads to the moment it became what it is. */
export function MomentButton({ row }: { row: Row }) {
  const goToMoment = useGoToMoment(row)
  if (!momentOf(row)) return null
  return (
    <span className="fade absolute top-1 -right-7 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100">
      <IconButton icon={RotateCcwClock} label="Go to this moment" tabIndex={-1} onClick={goToMoment} />
    </span>
  )
}
