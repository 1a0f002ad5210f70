import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import type { PendingApproval } from '../../transport/answers'
import type { CardActions } from '../approvals/DecisionCard'
import { feedCommand } from '../thread/feedKeys'
import { InboxEntry } from './InboxEntry'
import { useThreadTitles } from './useThreadTitles'

interface Props {
  approvals: readonly PendingApproval[]
  /** A thread is being gone to. */
  onLeave: () => void
}

/** The calls that wait as a list; the one with the focus shows its card. */
export function InboxList({ approvals, onLeave }: Props) {
  const app = useApp()
  const titles = useThreadTitles(approvals)
  const list = useRef<HTMLDivElement>(null)
  const actions = useRef<CardActions>(null)
  const [activeId, setActiveId] = useState(approvals[0]?.approvalId)
  const lastAt = useRef(0)
  const found = approvals.findIndex((each) => each.approvalId === activeId)
  const at = found >= 0 ? found : Math.min(lastAt.current, approvals.length - 1)
  const active = approvals[at]
  const first = useRef(true)

  // The one that had the focus was decided, here or elsewhere: the next one takes its place, and its keys rest.
  useEffect(() => {
    lastAt.current = at
    if (!active || (active.approvalId === activeId && !first.current)) return
    if (!first.current) app.guard.moved(active.approvalId, Date.now())
    first.current = false
    setActiveId(active.approvalId)
    elementOf(list.current, active.approvalId)?.focus({ preventScroll: true })
  }, [app, active, activeId, at])

  const go = (to: number) => {
    const next = approvals[Math.max(0, Math.min(approvals.length - 1, to))]
    if (!next) return
    setActiveId(next.approvalId)
    elementOf(list.current, next.approvalId)?.focus()
  }
  const show = (pending: PendingApproval) => {
    app.showCall(pending)
    onLeave()
  }
  const press = (event: KeyboardEvent) => {
    if (!active) return
    const command = feedCommand(event, app.commands.singleKeys.get())
    switch (command) {
      case 'row-next':
        go(at + 1)
        break
      case 'row-previous':
        go(at - 1)
        break
      case 'go-to-thread':
        show(active)
        break
      case 'first':
        go(0)
        break
      case 'last':
        go(approvals.length - 1)
        break
      case 'approve':
      case 'edit':
      case 'deny':
        if (!app.guard.ready(active.approvalId, active.approvalId, Date.now())) return
        actions.current?.[command]()
        break
      default:
        return
    }
    event.preventDefault()
  }
  if (approvals.length === 0) return null
  return (
    <div ref={list} role="feed" aria-label="Waiting for you" className="flex flex-col gap-2" onKeyDown={press}>
      {approvals.map((pending, index) => (
        <InboxEntry
          key={pending.approvalId}
          pending={pending}
          title={titles.get(pending.threadId)}
          place={{ at: index + 1, of: approvals.length }}
          active={index === at}
          actions={index === at ? actions : undefined}
          onFocus={() => setActiveId(pending.approvalId)}
          onShow={() => show(pending)}
        />
      ))}
    </div>
  )
}

function elementOf(list: HTMLElement | null, approvalId: string): HTMLElement | null {
  const all = list?.querySelectorAll<HTMLElement>('[data-inbox-id]') ?? []
  return [...all].find((each) => each.dataset.inboxId === approvalId) ?? null
}
