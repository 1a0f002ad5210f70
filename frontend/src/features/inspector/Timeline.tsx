import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { ended, type Transcript } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import type { Selection } from '../../state/inspector'
import type { ThreadStore } from '../../state/threadStore'
import type { Price } from '../../transport/answers'
import { domId } from '../../ui/domId'
import { counted, duration } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { ResultBlock } from '../details/Blocks'
import { FigureTable } from './FigureTable'
import { figures, type RunFigures } from './figures'
import type { TabProps } from './Inspector'
import { Empty } from './parts'
import { SelectedCall } from './SelectedCall'
import { axis } from './spans'
import { columns, TimelineLine } from './TimelineLine'
import { busySpans, callKey, type TimelineRow, timelineRows, turnKey } from './timelineRows'
import { useSettled } from './useSettled'

const noPrices: Price[] = []
/** While a run goes on its figures are computed again this often, in ms. */
const step = 250

/** The figures of so many calls cost less than a frame. */
const cheap = 200

/** The run's turns, requests and calls on one axis of time, and what they took. */
export function Timeline({ store, run, selected }: TabProps) {
  const app = useApp()
  const prices = useCell(app.studio.cell).state?.settings.prices ?? noPrices
  const whole = useFigures(store, run.transcript, prices)
  const rows = useMemo(() => timelineRows(whole), [whole])
  const [lineKey, setLineKey] = useState<string>()
  const chosen = useMemo(() => indexOf(rows, selected, lineKey), [rows, selected, lineKey])
  const select = (row: TimelineRow | undefined) => {
    if (!row) return
    const { turn, callId } = aboutOf(row)
    setLineKey(row.key)
    app.inspector.selected.set({ runId: run.id, turn, callId })
    app.jump.set({ threadId: store.threadId, runId: run.id, turn, callId, quiet: true })
  }
  if (run.transcript.last === 0) return <Empty>Waiting for the first event.</Empty>
  const turn = rows[chosen]?.turn ?? whole.turns.at(-1)
  const row = rows[chosen]
  const structured = run.transcript.finish?.structuredText
  return (
    <>
      <p className="px-4 py-2 text-small text-muted">{summary(whole)}</p>
      <Chart figures={whole} rows={rows} chosen={chosen} onSelect={select} />
      <div className="max-h-[55%] shrink-0 overflow-y-auto border-t border-border px-4 py-3">
        {row?.kind === 'call' && <SelectedCall figures={row.figures} />}
        <FigureTable run={whole} turn={turn} prices={prices} />
        {structured !== undefined && (
          <Keep name={`inspector/${run.id}/structured`} flags={store.flags}>
            <div className="pt-3">
              <ResultBlock json={structured} title="Structured output" />
            </div>
          </Keep>
        )}
      </div>
    </>
  )
}

interface ChartProps {
  figures: RunFigures
  rows: TimelineRow[]
  chosen: number
  onSelect: (row: TimelineRow | undefined) => void
}

function Chart({ figures: run, rows, chosen, onSelect }: ChartProps) {
  const list = useRef<VListHandle>(null)
  const id = useId()
  const time = useMemo(() => axis(run, busySpans(run)), [run])
  const key = rows[chosen]?.key
  useEffect(() => {
    if (key !== undefined && chosen >= 0) list.current?.scrollToIndex(chosen, { align: 'nearest' })
  }, [key, chosen])
  const press = (event: KeyboardEvent) => {
    const to = keys.get(event.key)?.(chosen, rows.length)
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onSelect(rows[Math.max(0, Math.min(rows.length - 1, to))])
  }
  return (
    <div className="flex min-h-24 flex-1 flex-col">
      {/* Both leave the same room for a scrollbar, so that the times stand over their bars. */}
      <div className={`${columns} h-6 overflow-y-scroll border-b border-border text-[0.6875rem] text-faint`}>
        <span />
        <span className="tnum relative">
          <span>0</span>
          {time.cuts.map((cut) => (
            <span
              key={cut.from}
              title={`Cut short: ${duration(cut.to - cut.from)} in which nothing was at work`}
              className="absolute -translate-x-1/2 text-wait"
              style={{ left: `${((time.at(cut.from) + time.at(cut.to)) / 2) * 100}%` }}
            >
              {'//'}
            </span>
          ))}
        </span>
        <span className="tnum text-right">
          {run.lastedMs === undefined ? 'times were not told' : duration(run.lastedMs)}
        </span>
      </div>
      <VList
        ref={list}
        role="listbox"
        aria-label="Timeline"
        tabIndex={0}
        aria-activedescendant={key === undefined ? undefined : `${id}-${domId(key)}`}
        onKeyDown={press}
        data={rows}
        itemSize={24}
        keepMounted={chosen >= 0 ? [chosen] : []}
        className="min-h-0 flex-1"
        style={{ height: 'auto', overflowY: 'scroll' }}
      >
        {(row, index) => (
          <TimelineLine
            key={row.key}
            id={`${id}-${domId(row.key)}`}
            row={row}
            axis={time}
            selected={index === chosen}
            place={index + 1}
            total={rows.length}
            onSelect={() => onSelect(row)}
          />
        )}
      </VList>
    </div>
  )
}

const keys = new Map<string, (at: number, total: number) => number>([
  ['ArrowDown', (at) => at + 1],
  ['ArrowUp', (at) => at - 1],
  ['PageDown', (at) => at + 10],
  ['PageUp', (at) => at - 10],
  ['Home', () => 0],
  ['End', (_, total) => total - 1],
])

/** The line of what is selected: of several that are about one turn, the one that was chosen last. */
function indexOf(rows: TimelineRow[], selected: Selection | undefined, lineKey: string | undefined): number {
  if (!selected) return -1
  const chosen = rows.findIndex((row) => row.key === lineKey)
  const about = rows[chosen] && aboutOf(rows[chosen])
  if (about && about.turn === selected.turn && about.callId === selected.callId) return chosen
  const key = selected.callId === undefined ? turnKey(selected.turn) : callKey(selected.callId)
  return rows.findIndex((row) => row.key === key)
}

function aboutOf(row: TimelineRow): { turn: number; callId: string | undefined } {
  return { turn: row.turn.turn, callId: row.kind === 'call' ? row.figures.call.id : undefined }
}

function summary(run: RunFigures): string {
  return [
    counted(run.turns.filter(({ request }) => request).length, 'turn'),
    counted(run.calls, 'call'),
    run.failed > 0 && `${counted(run.failed, 'failed', 'failed')}`,
    run.dropped > 0 && `${counted(run.dropped, 'dropped', 'dropped')}`,
    run.retries > 0 && counted(run.retries, 'retry', 'retries'),
  ]
    .filter(Boolean)
    .join(', ')
}

/** The run's figures as they are now. */
function useFigures(store: ThreadStore, transcript: Transcript, prices: Price[]): RunFigures {
  const played = useCell(store.playback) !== undefined
  // A run that goes on is looked at again with the clock, any other when it changed.
  const now = useNow(!played && !ended(transcript.status), step)
  const getVersion = useCallback(
    () => (!played && !ended(transcript.status) ? -1 : transcript.version),
    [played, transcript],
  )
  // In a long run what is played back moves first, and its figures follow.
  const version = useSettled(store.subscribe, getVersion, transcript.calls.size > cheap ? step : 0)
  return useMemo(() => {
    void version
    return figures(transcript, now || store.now(), prices)
  }, [store, transcript, version, now, prices])
}
