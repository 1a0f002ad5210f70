import clsx from 'clsx'
import type { ReactNode } from 'react'

interface Props {
  tone?: 'err' | 'wait' | 'plain'
  role?: 'alert' | 'status'
  children: ReactNode
  actions?: ReactNode
  className?: string
}

const edges = { err: 'border-err/60 text-err', wait: 'border-wait/60 text-wait', plain: 'border-border text-muted' }

/** A sentence that must be seen, with what can be done about it. */
export function Notice({ tone = 'plain', role, children, actions, className }: Props) {
  return (
    <div
      role={role}
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-block border bg-surface px-3 py-2 text-small',
        edges[tone],
        className,
      )}
    >
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
      {actions}
    </div>
  )
}
