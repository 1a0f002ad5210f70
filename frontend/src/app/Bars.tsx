import { useState } from 'react'
import { useApp } from '../state/app'
import { useCell } from '../state/cell'
import { useNow } from '../state/clock'
import type { PendingApproval } from '../transport/answers'
import { Button } from '../ui/Button'
import { elapsed, exactTime } from '../ui/format'

/** Says that the connection is lost, up to when what is shown holds, and when it is tried again. */
export function ConnectionBar() {
  const app = useApp()
  const connection = useCell(app.connection)
  const now = useNow(connection.state === 'lost')
  if (connection.state === 'refused') {
    return (
      <Bar tone="err" role="alert">
        The Studio does not let this page in: {connection.reason}. Open the address that <code>callboard serve</code>{' '}
        printed, token included.
      </Bar>
    )
  }
  if (connection.state !== 'lost') return null
  const wait = connection.retryAt - now
  return (
    <Bar tone="err" role="alert" action={{ word: 'Try now', press: () => app.transport.retry() }}>
      Connection lost. Showing events up to {exactTime(app.lastEventAt() || connection.since)}.{' '}
      <span className="tnum">{wait > 0 ? `Trying again in ${elapsed(wait + 999)}.` : 'Trying again…'}</span>
    </Bar>
  )
}

/** Says what was left waiting or unknown when the app was last closed, and leads to each. */
export function RestartBar() {
  const app = useApp()
  const route = useCell(app.router.route)
  const pending = useCell(app.leftOver)
  const [dismissed, setDismissed] = useState(false)
  const [at, setAt] = useState(0)
  const elsewhere = pending.some(
    (each) => each.kind === 'unknown' || route.kind !== 'thread' || each.threadId !== route.threadId,
  )
  if (dismissed || !elsewhere) return null
  const show = () => {
    const next = pending[at % pending.length]
    if (!next) return
    setAt(at + 1)
    app.showCall(next)
  }
  return (
    <Bar
      tone="wait"
      action={{ word: pending.length > 1 ? 'Show next' : 'Show', press: show }}
      onDismiss={() => setDismissed(true)}
    >
      From before: {words(pending)}.
    </Bar>
  )
}

function words(pending: PendingApproval[]): string {
  const unknown = pending.filter((each) => each.kind === 'unknown').length
  const waiting = pending.length - unknown
  return [waiting > 0 && `${waiting} waiting`, unknown > 0 && `${unknown} unknown`].filter(Boolean).join(', ')
}

interface BarProps {
  tone: 'err' | 'wait'
  role?: 'alert'
  action?: { word: string; press: () => void }
  onDismiss?: () => void
  children: React.ReactNode
}

function Bar({ tone, role, action, onDismiss, children }: BarProps) {
  return (
    <div
      role={role ?? 'status'}
      className={`flex shrink-0 flex-wrap items-center gap-3 border-b border-border bg-raised px-4 py-1.5 text-small ${tone === 'err' ? 'text-err' : 'text-wait'}`}
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</p>
      {action && (
        <Button small onClick={action.press}>
          {action.word}
        </Button>
      )}
      {onDismiss && (
        <Button small tone="ghost" onClick={onDismiss}>
          Dismiss
        </Button>
      )}
    </div>
  )
}
