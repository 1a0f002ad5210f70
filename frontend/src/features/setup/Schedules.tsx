import { useCallback, useEffect } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { Schedule } from '../../transport/toolsets'
import { useAskedDelete } from '../../ui/askedDelete'
import { moment } from '../../ui/format'
import { Section } from '../../ui/Section'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { useAnswer } from '../inspector/useAnswer'
import { Listed } from './Listed'

/** So long after a message is due, in ms, the list is read again. */
const grace = 1500
const day = 86_400_000

/** The messages that are sent later: into which thread, when, and how to stop them. */
export function Schedules({ on }: { on: boolean }) {
  const app = useApp()
  const ask = useCallback(() => app.api.schedules(), [app])
  const asked = useAnswer('schedules', ask)
  const { value, again } = asked
  useEffect(() => {
    const now = Date.now()
    const due = (value ?? []).map(({ next }) => next).filter((next) => next > now)
    if (due.length === 0) return
    const timer = setTimeout(again, Math.min(Math.min(...due) - now + grace, day))
    return () => clearTimeout(timer)
  }, [value, again])
  const remove = async (id: string) => {
    await app.api.deleteSchedule(id).catch((cause: unknown) => toast(messageOf(cause), 'err'))
    again()
  }
  const show = (threadId: string) => {
    app.setUp.set(undefined)
    app.router.go({ kind: 'thread', threadId })
  }
  return (
    <Section name="Schedules">
      {!on && value && value.length > 0 && (
        <p className="text-small text-wait">The tool set scheduler is off: nothing is sent until it is on.</p>
      )}
      <Listed
        asked={asked}
        empty="No schedules. The agent makes one when you ask it to do something later, or again and again."
      >
        {(schedule) => (
          <Item
            key={schedule.id}
            schedule={schedule}
            onShow={() => show(schedule.threadId)}
            onDelete={() => remove(schedule.id)}
          />
        )}
      </Listed>
    </Section>
  )
}

interface ItemProps {
  schedule: Schedule
  onShow: () => void
  onDelete: () => Promise<void>
}

function Item({ schedule, onShow, onDelete }: ItemProps) {
  const { threadTitle, agentName, message, cron, timezone, next, waiting } = schedule
  const { button, asking } = useAskedDelete({
    name: `the schedule of “${message}”`,
    question: 'Delete this schedule? Its message is not sent any more.',
    onDelete,
  })
  return (
    <li className="flex flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-start gap-2">
        <p className="line-clamp-3 min-w-0 flex-1 [overflow-wrap:anywhere]" title={message}>
          <Verbatim text={message} />
        </p>
        {button}
      </div>
      <p className="tnum text-small text-muted">
        {next > Date.now() ? 'next' : 'due'} {moment(next)}
        {cron === undefined ? ', once' : ', again by '}
        {cron !== undefined && <code className="text-code">{timezone ? `${cron} (${timezone})` : cron}</code>}
      </p>
      {waiting && <p className="text-small text-wait [overflow-wrap:anywhere]">Not sent yet: {waiting}</p>}
      <p className="flex min-w-0 items-center gap-1 text-small text-faint">
        <span className="shrink-0">to {agentName} in</span>
        <button type="button" onClick={onShow} className="h-6 min-w-0 truncate text-accent hover:underline">
          {threadTitle || 'a thread without a title'}
        </button>
      </p>
      {asking}
    </li>
  )
}
