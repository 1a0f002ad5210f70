import Check from 'lucide/dist/esm/icons/check.mjs'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import type { GroupRow as Row } from '../../state/rows'
import { useThread } from '../../state/useThread'
import { domId } from '../../ui/domId'
import { count, duration } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'

/** Calls of one label that stand folded in one line. */
export function GroupRow({ row }: { row: Row }) {
  const store = useThread()
  const total = row.calls.reduce((ms, call) => ms + (call.durationMs ?? 0), 0)
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-expanded={row.open}
      data-line
      onClick={() => store.folding.set(row.key, !row.open)}
      className="flex h-8 w-full items-center gap-2 rounded-control text-left hover:bg-raised"
    >
      <Icon node={row.open ? ChevronDown : ChevronRight} className="text-faint" />
      <ToolIcon name={row.icon} className="text-muted" />
      <span id={`${domId(row.key)}-label`} className="min-w-0 flex-1 truncate font-semibold">
        <Verbatim text={row.label} /> <span className="tnum font-normal text-muted">× {count(row.calls.length)}</span>
      </span>
      <span className="tnum font-mono text-code text-faint">{duration(total)}</span>
      <span id={`${domId(row.key)}-status`} className="flex w-32 items-center gap-1.5 text-small text-ok">
        <Icon node={Check} /> all done
      </span>
    </button>
  )
}
