import clsx from 'clsx'
import { memo, type ReactNode } from 'react'
import type { Call } from '../../protocol/transcript'
import { labelOf } from '../../state/rows'
import { duration } from '../../ui/format'
import { bytesOf } from '../../ui/save'
import { Verbatim } from '../../ui/Verbatim'
import { statusOf } from '../call/status'
import type { CallFigures } from './figures'
import type { Axis, Span } from './spans'
import type { TimelineRow } from './timelineRows'
import { exactMoment, stateWord } from './words'

/** The columns of the timeline: names, time, words. */
export const columns = 'grid grid-cols-[minmax(6rem,28%)_minmax(0,1fr)_7.75rem] gap-2 px-4'

interface Props {
  id: string
  row: TimelineRow
  axis: Axis
  selected: boolean
  /** Its place among all lines, from 1. */
  place: number
  total: number
  onSelect: () => void
}

/** A line of the timeline: what it is, when it was, how long and in which state. */
export const TimelineLine = memo(function TimelineLine({ id, row, axis, selected, place, total, onSelect }: Props) {
  const { name, depth, bars, tone, word, lasted, title } = look(row)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the listbox has the focus and names its active line
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      role="option"
      id={id}
      aria-selected={selected}
      aria-setsize={total}
      aria-posinset={place}
      data-line={row.key}
      onClick={onSelect}
      title={title}
      className={clsx(
        columns,
        'h-6 cursor-pointer items-center text-small hover:bg-raised aria-selected:bg-raised aria-selected:shadow-[inset_2px_0_var(--accent)]',
      )}
    >
      <span
        className={clsx('truncate', row.kind === 'turn' ? 'font-semibold' : 'text-muted')}
        style={{ paddingLeft: depth * 10 }}
      >
        {name}
      </span>
      <span className="relative h-full">
        {axis.cuts.map((cut) => (
          <span key={cut.from} className="absolute inset-y-0 bg-bg" style={placeOf(axis, cut)} />
        ))}
        {bars.map((bar, index) => (
          <span
            key={index}
            data-bar
            className={clsx('absolute top-1/2 -translate-y-1/2 rounded-[2px]', bar.look)}
            style={placeOf(axis, bar)}
          />
        ))}
      </span>
      <span className="relative flex min-w-0 justify-end gap-2 whitespace-nowrap">
        <span className={clsx('min-w-0 truncate', tone)}>{word}</span>
        <span className="tnum shrink-0 font-mono text-code text-faint">{lasted}</span>
      </span>
    </div>
  )
})

interface Bar extends Span {
  look: string
}

interface Look {
  name: ReactNode
  depth: number
  bars: Bar[]
  tone: string
  word: string
  lasted: string
  title: string
}

function look(row: TimelineRow): Look {
  switch (row.kind) {
    case 'turn': {
      const { turn, from, to, request } = row.turn
      const name = turn === 0 ? 'Before any turn' : `Turn ${turn}`
      const whose = row.agent === undefined ? '' : ` ${row.agent}`
      const lasted = from > 0 ? duration(to - from) : ''
      const word = request && request.tries.length > 1 ? `${request.tries.length} tries` : ''
      return {
        name: (
          <>
            {name}
            {whose && <span className="font-normal text-muted">{whose}</span>}
          </>
        ),
        depth: 0,
        bars: [{ from, to, look: 'h-1 bg-faint/60' }],
        tone: 'text-wait',
        word,
        lasted,
        title: `${name}${whose && ` of${whose}`}, ${lasted}`,
      }
    }
    case 'try': {
      const { number, span, reason } = row
      return {
        name: `try ${number}`,
        depth: 1,
        bars: [{ ...span, look: 'h-2 bg-err/70' }],
        tone: 'text-err',
        word: 'failed',
        lasted: span.from > 0 ? duration(span.to - span.from) : '',
        title: `Try ${number} failed and was taken back: ${reason ?? 'no reason was told'}`,
      }
    }
    case 'model': {
      const { request } = row
      const last = request.tries.at(-1) ?? request
      const first = request.firstTokenMs === undefined ? last.from : Math.min(last.to, last.from + request.firstTokenMs)
      return {
        name: 'model',
        depth: 1,
        bars: [
          { from: last.from, to: first, look: 'h-2 bg-stream/40' },
          { from: first, to: last.to, look: 'h-2 bg-stream' },
        ],
        tone: 'text-muted',
        word: request.turn.finishReason ?? '',
        lasted: last.from > 0 ? duration(last.to - last.from) : '',
        title: `The model, from ${exactMoment(last.from)}`,
      }
    }
    case 'call':
      return callLook(row.figures)
    default:
      row satisfies never
      return { name: '', depth: 0, bars: [], tone: '', word: '', lasted: '', title: '' }
  }
}

function callLook({ call, depth, from, to, waited, ran, ranMs }: CallFigures): Look {
  const bars: Bar[] = [
    { from, to, look: call.state === 'dropped' ? 'h-2 border border-dashed border-faint' : 'h-px bg-faint' },
  ]
  if (waited) bars.push({ ...waited, look: 'h-2 bg-wait/60' })
  if (ran) bars.push({ ...ran, look: `h-2 ${colours[call.state]}` })
  const { tone } = statusOf(call)
  const lasted =
    call.state === 'dropped'
      ? `${bytesOf(call.proposedText)} B`
      : call.state === 'waiting' && waited
        ? duration(waited.to - waited.from)
        : ranMs === undefined
          ? ''
          : duration(ranMs)
  const word = stateWord(call)
  const cause = call.state === 'dropped' ? `, ${call.dropReason ?? 'no cause'}` : ''
  return {
    name: <Verbatim text={labelOf(call)} />,
    depth: depth + 1,
    bars,
    tone,
    word,
    lasted,
    title: `${labelOf(call)}: ${word}${cause} ${lasted}, from ${exactMoment(from)}`,
  }
}

const colours: Record<Call['state'], string> = {
  input: 'bg-stream',
  proposed: 'bg-faint',
  waiting: 'bg-wait',
  approved: 'bg-wait',
  denied: 'bg-deny',
  expired: 'bg-deny',
  running: 'bg-run',
  done: 'bg-ok',
  failed: 'bg-err',
  cancelled: 'bg-faint',
  unknown: 'bg-wait',
  dropped: 'bg-faint',
}

/** Where a span stands on the axis; what is too short to be seen is 2 px wide. */
function placeOf(axis: Axis, { from, to }: Span): { left: string; width: string } {
  const left = axis.at(from)
  return { left: `min(${left * 100}%, calc(100% - 2px))`, width: `max(2px, ${(axis.at(to) - left) * 100}%)` }
}
