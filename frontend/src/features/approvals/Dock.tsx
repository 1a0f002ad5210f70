import ShieldQuestionMark from 'lucide/dist/esm/icons/shield-question-mark.mjs'
import { useNow } from '../../state/clock'
import { labelOf } from '../../state/rows'
import type { RunCall } from '../../state/threadStore'
import { Button } from '../../ui/Button'
import { elapsed } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { ApprovalCard } from './ApprovalCard'
import { useWheel } from './useWheel'

interface Props {
  waiting: RunCall[]
  docked: RunCall
  onShow: (call: RunCall) => void
  /** Gets, in px, what a wheel over the dock has nothing to do with there. */
  onWheel: (by: number) => void
}

/** The decision that waits while its row is out of sight: it stands between the thread and the composer. */
export function Dock({ waiting, docked, onShow, onWheel }: Props) {
  const { call } = docked
  const now = useNow(true)
  const box = useWheel(onWheel)
  const at = waiting.findIndex((each) => each.call === call)
  return (
    <div
      ref={box}
      className="mx-auto flex max-h-[max(45%,160px)] w-full max-w-[72.5rem] shrink-0 flex-col px-8 pt-1 pb-2 has-data-form:max-h-[85%]"
    >
      <div className="flex min-h-0 flex-col rounded-block bg-surface">
        <header className="flex h-9 shrink-0 items-center gap-2 rounded-t-block border border-b-0 border-wait px-3 text-small">
          <Icon node={ShieldQuestionMark} className="text-wait" />
          <span className="font-semibold">
            <Verbatim text={labelOf(call)} />
          </span>
          <span className="min-w-0 flex-1 truncate font-mono text-code text-muted">
            <Verbatim text={call.presentation?.detail ?? ''} />
          </span>
          <span className="tnum text-wait">
            {call.state === 'unknown' ? 'unknown' : 'needs approval'}
            {call.waitingAt !== undefined && `, ${elapsed(Math.max(0, now - call.waitingAt))}`}
          </span>
          {waiting.length > 1 && (
            <span className="tnum text-faint">
              {at + 1} of {waiting.length}
            </span>
          )}
          <Button small tone="ghost" onClick={() => onShow(docked)}>
            Show in thread
          </Button>
        </header>
        <ApprovalCard key={call.approvalId} call={call} docked />
      </div>
    </div>
  )
}
