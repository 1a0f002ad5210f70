import { useId } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'

/** Switches off the single letters that act on a list, for those whom they get in the way of. */
export function SingleKeys() {
  const { commands } = useApp()
  const on = useCell(commands.singleKeys)
  const id = useId()
  return (
    <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <label htmlFor={id} className="text-small text-muted">
        Single letters act on a list with the focus
      </label>
      <input
        id={id}
        type="checkbox"
        checked={on}
        onChange={(event) => commands.setSingleKeys(event.target.checked)}
        className="h-6 w-4 accent-(--accent)"
      />
    </div>
  )
}
