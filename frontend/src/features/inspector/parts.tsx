import type { ReactNode } from 'react'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import type { Asked } from './useAnswer'

/** What stands where there is nothing to show, and why. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <p className="flex flex-1 items-center justify-center p-8 text-center text-small text-muted [text-wrap:balance]">
      {children}
    </p>
  )
}

/** What was asked of the server, once it came; before that, or without it, what there is to say. */
export function Answered<T>({
  asked,
  what,
  children,
}: {
  asked: Asked<T>
  what: string
  children: (value: T) => ReactNode
}) {
  return (
    <>
      {asked.fault !== undefined && (
        <div className="p-4">
          <Notice
            tone="err"
            actions={
              <Button small busy={asked.busy} onClick={asked.again}>
                Try again
              </Button>
            }
          >
            {what} could not be read: {asked.fault}
          </Notice>
        </div>
      )}
      {asked.value !== undefined
        ? children(asked.value)
        : asked.fault === undefined && (
            <p className="flex flex-1 items-center justify-center gap-2 p-8 text-small text-muted">
              <Spinner size={14} /> Reading…
            </p>
          )}
    </>
  )
}

/** A part of a tab with its name. */
export function Section({ title, meta, children }: { title: string; meta?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <header className="flex items-baseline gap-2">
        <h3 className="min-w-0 flex-1 text-small font-semibold">{title}</h3>
        {meta && <span className="tnum text-small text-faint">{meta}</span>}
      </header>
      {children}
    </section>
  )
}

/** A list of names and what they stand for. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
