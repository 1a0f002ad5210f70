import { useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { VList, type VListHandle } from 'virtua'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { labelOf } from '../../state/rows'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { Button } from '../../ui/Button'
import { TextInput } from '../../ui/Field'
import { count } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { callOf } from './CallTab'
import { EventRow } from './EventRow'
import { type Entry, Filtered, useEventLog } from './eventLog'
import type { TabProps } from './Inspector'
import { Empty } from './parts'

/** The events of a run as they were stored, each with its bytes. */
export function EventsTab({ store, run, selected }: TabProps) {
  const { inspector } = useApp()
  const log = useEventLog(store, run)
  const onlyCall = useCell(inspector.onlyCall)
  const [type, setType] = useState('')
  const [text, setText] = useState('')
  const deferred = useDeferredValue(text)
  const callId = onlyCall ? selected?.callId : undefined
  const filtered = useMemo(() => new Filtered({ type, callId, text: deferred }), [type, callId, deferred])
  const shown = useMemo(() => filtered.of(log.entries), [filtered, log.entries])
  const call = selected?.callId === undefined ? undefined : callOf(run.transcript, selected.callId)
  const label = call ? labelOf(call) : selected?.callId
  const [open] = useState(() => new Set<number>())
  const [list, seq] = usePlayed(store, run, shown)
  return (
    <>
      <div className="flex flex-col gap-2 border-b border-border px-4 py-2">
        <div className="flex gap-2">
          <TextInput
            type="search"
            aria-label="Find in events"
            placeholder="Find in events"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Select
            label="Type of event"
            value={type}
            options={typesOf(log.entries)}
            onChange={setType}
            className="w-36 shrink-0"
          />
        </div>
        <div className="flex min-h-6 items-center gap-2 text-small">
          {selected?.callId !== undefined && (
            <label className="flex min-w-0 items-center gap-2">
              <input
                type="checkbox"
                className="shrink-0 accent-(--accent)"
                checked={onlyCall}
                onChange={(event) => inspector.onlyCall.set(event.target.checked)}
              />
              <span className="truncate">Only {label}</span>
            </label>
          )}
          <span className="flex-1" />
          <span className="tnum shrink-0 text-faint">
            {count(shown.length)} of {count(log.entries.length)}
          </span>
        </div>
      </div>
      {log.fault !== undefined && (
        <div className="p-4">
          <Notice
            tone="err"
            actions={
              <Button small onClick={log.again}>
                Try again
              </Button>
            }
          >
            The events could not be read: {log.fault}
          </Notice>
        </div>
      )}
      {shown.length > 0 ? (
        <VList ref={list} data={shown} className="min-h-0 flex-1" style={{ height: 'auto' }}>
          {(entry) => (
            <EventRow
              key={entry.seq}
              entry={entry}
              threadId={store.threadId}
              runId={run.id}
              open={open}
              current={entry.seq === seq}
            />
          )}
        </VList>
      ) : (
        log.fault === undefined && <Nothing whole={log.whole} some={log.entries.length > 0} />
      )}
    </>
  )
}

/** Keeps the event that playback stands at in sight; its number, 0 while nothing is played. */
function usePlayed(store: ThreadStore, run: RunView, shown: readonly Entry[]) {
  const list = useRef<VListHandle>(null)
  const playback = useCell(store.playback)
  const seq = useSyncExternalStore(store.subscribe, () => (playback?.run === run ? run.transcript.last : 0))
  useEffect(() => {
    if (seq === 0) return
    const index = shown.findLastIndex((entry) => entry.seq <= seq)
    if (index >= 0) list.current?.scrollToIndex(index, { align: 'nearest' })
  }, [seq, shown])
  return [list, seq] as const
}

function Nothing({ whole, some }: { whole: boolean; some: boolean }) {
  if (!whole) return <Empty>Reading the events…</Empty>
  return <Empty>{some ? 'No event fits.' : 'No event has come yet.'}</Empty>
}

const known = new WeakMap<readonly Entry[], { value: string; label: string }[]>()

/** The types of events there are, by name. */
function typesOf(entries: readonly Entry[]): { value: string; label: string }[] {
  let options = known.get(entries)
  if (!options) {
    const types = [...new Set(entries.map(({ type }) => type))].sort()
    options = [{ value: '', label: 'All types' }, ...types.map((type) => ({ value: type, label: type }))]
    known.set(entries, options)
  }
  return options
}
