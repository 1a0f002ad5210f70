import clsx from 'clsx'
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useCell } from '../../state/cell'
import { type Mark, type MarkKind, markKinds } from '../../state/marks'
import type { Playback } from '../../state/playback'
import { count } from '../../ui/format'
import { eventWords, markWords } from './words'

/** Marks nearer to each other than this part of the bar are drawn as one. */
const grain = 1200
/** So near to a mark, in px, the pointer is on it. */
const near = 4
const height = 20

/** Where a kind of mark stands on the bar, from its top, and its colour. What is rare is tall. */
const strokes: Record<MarkKind, { from: number; to: number; tone: string }> = {
  call: { from: 12, to: 17, tone: 'text-run' },
  approval: { from: 6, to: 17, tone: 'text-wait' },
  failure: { from: 2, to: 17, tone: 'text-err' },
  drop: { from: 10, to: 20, tone: 'text-deny' },
}

interface Props {
  playback: Playback
}

/** The events of a run as a bar, with marks, and the event the view stands at as its thumb. */
export function Scrubber({ playback }: Props) {
  const { at, length, seq } = useCell(playback.state)
  const marks = useCell(playback.marks)
  const bar = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number>()
  const part = length > 1 ? (at - 1) / (length - 1) : 1
  // Who asked for playback goes on with its keys.
  useEffect(() => bar.current?.focus({ preventScroll: true }), [])

  const placeOf = (event: PointerEvent): number => {
    const box = bar.current?.getBoundingClientRect()
    if (!box?.width) return at
    const x = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
    return 1 + Math.round(x * (length - 1))
  }
  const press = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    event.currentTarget.focus()
    event.preventDefault()
    playback.seek(placeOf(event))
  }
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const n = placeOf(event)
    setHovered(n)
    if (event.currentTarget.hasPointerCapture(event.pointerId)) playback.seek(n)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !scrub(playback, event.key, event.shiftKey)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const width = bar.current?.clientWidth || 1
  return (
    <div className="relative flex-1 px-1.5">
      <div
        ref={bar}
        role="slider"
        tabIndex={0}
        aria-label="Event"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, length)}
        aria-valuenow={at}
        aria-valuetext={`event ${count(seq)}, ${eventWords(playback)}`}
        onPointerDown={press}
        onPointerMove={move}
        onPointerLeave={() => setHovered(undefined)}
        onKeyDown={onKeyDown}
        className="relative h-8 cursor-pointer touch-none rounded-control"
      >
        <div className="absolute inset-x-0 top-[1.375rem] h-1 rounded-full bg-border" />
        <div className="absolute top-[1.375rem] left-0 h-1 rounded-full bg-faint" style={{ width: `${part * 100}%` }} />
        <MarkLines marks={marks} length={length} />
        <div
          data-thumb
          className="absolute top-1 h-6 w-[3px] -translate-x-1/2 rounded-full bg-text ring-2 ring-surface"
          style={{ left: `${part * 100}%` }}
        />
      </div>
      {hovered !== undefined && <Tip playback={playback} n={hovered} reach={(near * length) / width} />}
    </div>
  )
}

/** Moves by a key; false when it is none of the bar's. */
export function scrub(playback: Playback, key: string, shift: boolean): boolean {
  const step = shift ? 100 : 1
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      playback.step(-step)
      return true
    case 'ArrowRight':
    case 'ArrowUp':
      playback.step(step)
      return true
    case 'PageDown':
      playback.step(-100)
      return true
    case 'PageUp':
      playback.step(100)
      return true
    case 'Home':
      playback.seek(1)
      return true
    case 'End':
      playback.seek(Number.POSITIVE_INFINITY)
      return true
    case ' ':
      playback.toggle()
      return true
    default:
      return false
  }
}

/** The marks as one line a kind. */
const MarkLines = memo(function MarkLines({ marks, length }: { marks: readonly Mark[]; length: number }) {
  const lines = useMemo(() => markKinds.map((kind) => ({ kind, d: lineOf(marks, kind, length) })), [marks, length])
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${grain} ${height}`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-x-0 top-1.5 h-5 w-full"
    >
      {lines.map(({ kind, d }) => (
        <path
          key={kind}
          d={d}
          className={strokes[kind].tone}
          stroke="currentColor"
          strokeWidth={kind === 'call' ? 1 : 2}
          strokeOpacity={kind === 'call' ? 0.7 : 1}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
})

function lineOf(marks: readonly Mark[], kind: MarkKind, length: number): string {
  const places = new Set<number>()
  for (const mark of marks) if (mark.kind === kind) places.add(placeOn(mark.n, length))
  const { from, to } = strokes[kind]
  return [...places].map((x) => `M${x} ${from}V${to}`).join('')
}

function placeOn(n: number, length: number): number {
  return length > 1 ? Math.round(((n - 1) / (length - 1)) * grain) : grain
}

/** What stands under the pointer: the event, and the nearest mark. */
function Tip({ playback, n, reach }: { playback: Playback; n: number; reach: number }) {
  const { length } = playback.state.get()
  const mark = nearest(playback.marks.get(), n, reach)
  const part = length > 1 ? ((mark?.n ?? n) - 1) / (length - 1) : 1
  return (
    <div
      data-tip
      aria-hidden="true"
      className={clsx(
        'pointer-events-none absolute bottom-full z-20 mb-1 rounded-control border border-border bg-raised px-2 py-1 text-small whitespace-nowrap shadow-popover',
        part < 0.15 ? 'left-0' : part > 0.85 ? 'right-0' : '-translate-x-1/2',
      )}
      style={part < 0.15 || part > 0.85 ? undefined : { left: `${part * 100}%` }}
    >
      <span className="tnum text-muted">event {count(playback.seqOf(mark?.n ?? n))}</span>
      {mark && <span className={clsx('pl-2', strokes[mark.kind].tone)}>{markWords(mark)}</span>}
    </div>
  )
}

/** The rarest kind of mark within reach, and of that the nearest. */
export function nearest(marks: readonly Mark[], n: number, reach: number): Mark | undefined {
  let best: Mark | undefined
  let least = Number.POSITIVE_INFINITY
  for (const mark of marks) {
    const far = Math.abs(mark.n - n)
    if (far > reach) continue
    const cost = far + (mark.kind === 'call' ? reach : 0)
    if (cost < least) [best, least] = [mark, cost]
  }
  return best
}
