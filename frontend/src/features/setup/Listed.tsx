import type { ReactNode } from 'react'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import type { Asked } from '../inspector/useAnswer'

interface Props<T> {
  asked: Asked<T[]>
  /** What stands in place of a list with nothing in it. */
  empty: ReactNode
  children: (item: T) => ReactNode
}

/** What was asked of the server, as a list that scrolls when it is long. */
export function Listed<T>({ asked, empty, children }: Props<T>) {
  const { value, fault, busy, again } = asked
  return (
    <>
      {fault !== undefined && (
        <Notice
          tone="err"
          actions={
            <Button small busy={busy} onClick={again}>
              Try again
            </Button>
          }
        >
          {fault}
        </Notice>
      )}
      {value?.length === 0 && <p className="text-small text-muted [overflow-wrap:anywhere]">{empty}</p>}
      {value && value.length > 0 && (
        <ul className="flex max-h-80 flex-col gap-2 overflow-y-auto">{value.map(children)}</ul>
      )}
    </>
  )
}
