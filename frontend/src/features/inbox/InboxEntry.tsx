import clsx from 'clsx'
import ArrowRight from 'lucide/dist/esm/icons/arrow-right.mjs'
import type { Ref } from 'react'
import { escapeInvisible } from '../../protocol/text'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import { labelOf } from '../../state/rows'
import type { PendingApproval } from '../../transport/answers'
import { Button } from '../../ui/Button'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { elapsed } from '../../ui/format'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'
import { askedOfPending } from '../approvals/asked'
import { type CardActions, DecisionCard } from '../approvals/DecisionCard'

interface Props {
  pending: PendingApproval
  /** The title of its thread, once it is known. */
  title: string | undefined
  place: { at: number; of: number }
  /** It has the focus of the list, and shows its card. */
  active: boolean
  actions?: Ref<CardActions>
  onFocus: () => void
  onShow: () => void
}

/** A call that waits: what, where, by whom and how long, and its card while it is the one looked at. */
export function InboxEntry({ pending, title, place, active, actions, onFocus, onShow }: Props) {
  const now = useNow(true)
  const singleKeys = useCell(useApp().commands.singleKeys)
  const { presentation, agentName, since, kind, parentToolCallId } = pending
  const label = escapeInvisible(labelOf(pending))
  const age = elapsed(Math.max(0, now - since))
  const where = title === undefined ? '…' : title || 'Untitled'
  return (
    <article
      aria-posinset={place.at}
      aria-setsize={place.of}
      aria-label={`${label}, ${escapeInvisible(where)}, waits for ${age}`}
      data-inbox-id={pending.approvalId}
      tabIndex={active ? 0 : -1}
      onFocus={onFocus}
      className={clsx('scroll-my-2 rounded-block border', active ? 'border-faint' : 'border-border')}
    >
      <div className={clsx('flex flex-col gap-0.5 px-3 py-2', !active && 'cursor-pointer hover:bg-raised')}>
        <div className="flex items-center gap-2">
          <ToolIcon name={presentation?.icon} className="text-muted" />
          <span className={clsx('shrink-0 font-semibold', !presentation?.label && 'font-mono text-code')}>
            <Verbatim text={labelOf(pending)} />
          </span>
          <span className="min-w-0 flex-1 truncate font-mono text-code text-muted">
            <Verbatim text={presentation?.detail ?? ''} />
          </span>
          <span className="tnum shrink-0 text-small text-wait">
            {kind === 'unknown' ? 'unknown' : 'waits'} {age}
          </span>
          <Button
            small
            tone="ghost"
            icon={ArrowRight}
            shortcut={active && singleKeys ? 'G' : undefined}
            onClick={onShow}
          >
            Go to it
          </Button>
        </div>
        <p className="truncate text-small text-faint">
          <Verbatim text={where} />
          {agentName && ` · ${agentName}`}
          {parentToolCallId && ' · called by another call'}
        </p>
      </div>
      {active && (
        <div className="px-2 pb-2">
          <ErrorBoundary what="The call">
            <DecisionCard asked={askedOfPending(pending)} place="inbox" actions={actions} />
          </ErrorBoundary>
        </div>
      )}
    </article>
  )
}
