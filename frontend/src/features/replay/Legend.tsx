import clsx from 'clsx'
import { useMemo } from 'react'
import { useCell } from '../../state/cell'
import { type MarkKind, markKinds } from '../../state/marks'
import type { Playback } from '../../state/playback'
import { count } from '../../ui/format'
import { kindWords } from './words'

const swatches: Record<MarkKind, string> = {
  call: 'h-1.5 bg-run',
  approval: 'h-2.5 bg-wait',
  failure: 'h-3.5 bg-err',
  drop: 'h-2.5 translate-y-1 bg-deny',
}

/** What the marks on the bar mean, and how many there are; a press goes to the next of them. */
export function Legend({ playback }: { playback: Playback }) {
  const marks = useCell(playback.marks)
  const counts = useMemo(() => {
    const each = new Map<MarkKind, number>()
    for (const { kind } of marks) each.set(kind, (each.get(kind) ?? 0) + 1)
    return each
  }, [marks])
  const goOn = (kind: MarkKind) => {
    const { at } = playback.state.get()
    const next = marks.find((mark) => mark.kind === kind && mark.n > at) ?? marks.find((mark) => mark.kind === kind)
    if (next) playback.seek(next.n)
  }
  return (
    <ul aria-label="Marks" className="flex items-center">
      {markKinds.map((kind) => {
        const n = counts.get(kind) ?? 0
        if (n === 0) return null
        const [one, many] = kindWords[kind]
        return (
          <li key={kind}>
            <button
              type="button"
              data-mark={kind}
              title={`Go to the next ${one}`}
              aria-label={`${count(n)} ${n === 1 ? one : many}, go to the next`}
              onClick={() => goOn(kind)}
              className="flex h-6 items-center gap-1.5 rounded-control px-2 text-small text-muted hover:bg-raised hover:text-text"
            >
              <span className="flex h-4 items-end">
                <span className={clsx('w-0.5 rounded-full', swatches[kind])} />
              </span>
              <span className="tnum">
                {count(n)} {n === 1 ? one : many}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
