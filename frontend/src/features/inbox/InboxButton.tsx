import clsx from 'clsx'
import InboxIcon from 'lucide/dist/esm/icons/inbox.mjs'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { Icon } from '../../ui/Icon'

/** Opens the list of what waits, and says how much does. */
export function InboxButton() {
  const app = useApp()
  const n = useCell(app.inbox.state).approvals.length
  const label = `Waiting for you: ${n} (Ctrl J)`
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => app.inboxOpen.set(true)}
      className={clsx(
        'inline-flex h-6 min-w-6 shrink-0 items-center justify-center gap-1 rounded-control hover:bg-raised',
        n > 0 ? 'border border-wait px-1.5 text-wait' : 'text-muted hover:text-text',
      )}
    >
      <Icon node={InboxIcon} />
      {n > 0 && <span className="tnum text-small font-semibold">{n}</span>}
    </button>
  )
}
