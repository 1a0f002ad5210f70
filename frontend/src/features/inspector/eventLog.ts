import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { decode, type Event, isWireError } from '../../protocol/events'
import { useApp } from '../../state/app'
import type { RunView, ThreadStore } from '../../state/threadStore'
import type { Api } from '../../transport/api'
import { messageOf } from '../../transport/apiError'

/** An event of a run's log with what it is found by. */
export interface Entry {
  seq: number
  /** Unix ms; 0 when not told. */
  at: number
  type: string
  /** The calls it is about. */
  calls: string[]
  /** Its JSON text as it came. */
  raw: string
  /** How many numbers before it never came. */
  missing: number
}

/** So many events are read in one go, so that the page answers in between. */
const slice = 2000

/** Reads what an event is about. */
export function entryOf(seq: number, raw: string, before: number): Entry {
  const frame = decode(raw, seq)
  const missing = Math.max(0, seq - before - 1)
  if (isWireError(frame)) return { seq, at: 0, type: 'not an event', calls: [], raw, missing }
  const { event, at } = frame
  const type = event.type === 'unknown' ? event.kind : event.type
  return { seq, at, type, calls: callsOf(event), raw, missing }
}

function callsOf(event: Event): string[] {
  switch (event.type) {
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call-end':
      return [event.id]
    case 'tool-update':
    case 'call-state':
    case 'tool-result':
      return [event.toolCallId]
    case 'approval-required':
      return event.approvals.map(({ toolCallId }) => toolCallId)
    default:
      return []
  }
}

export interface EventLog {
  entries: readonly Entry[]
  fault?: string
  /** All that the run had when it was asked has been read. */
  whole: boolean
  again: () => void
}

/** The events of a run, read on as they come. */
export function useEventLog(store: ThreadStore, run: RunView): EventLog {
  const { api } = useApp()
  const [log, setLog] = useState<{ entries: readonly Entry[]; fault?: string; whole: boolean }>({
    entries: [],
    whole: false,
  })
  const [times, setTimes] = useState(0)
  const last = useSyncExternalStore(store.subscribe, () => run.transcript.last)
  const have = log.entries.at(-1)?.seq ?? 0
  const { fault, whole } = log
  const reading = useRef(false)
  const closing = useRef(new AbortController())
  useEffect(() => {
    closing.current = new AbortController()
    return () => closing.current.abort()
  }, [])
  useEffect(() => {
    void times // asks once more
    if (reading.current || fault !== undefined || (whole && have >= last)) return
    reading.current = true
    const { signal } = closing.current
    read(api, run.id, have, signal).then(
      (fresh) => {
        reading.current = false
        if (!signal.aborted) setLog((before) => ({ entries: before.entries.concat(fresh), whole: true }))
      },
      (cause: unknown) => {
        reading.current = false
        if (!signal.aborted) setLog((before) => ({ ...before, fault: messageOf(cause) }))
      },
    )
  }, [api, run.id, have, last, fault, whole, times])
  const again = () => {
    setLog((before) => ({ ...before, fault: undefined }))
    setTimes((n) => n + 1)
  }
  return { ...log, again }
}

async function read(api: Api, runId: string, after: number, signal: AbortSignal): Promise<Entry[]> {
  const page = await api.events(runId, after, signal)
  const fresh: Entry[] = []
  for (const { seq, raw } of page.events) {
    fresh.push(entryOf(seq, raw, fresh.at(-1)?.seq ?? after))
    if (fresh.length % slice === 0) await new Promise((resolve) => setTimeout(resolve, 0))
  }
  return fresh
}

/** What events are looked for by; what is empty lets all through. */
export interface Filter {
  type: string
  callId: string | undefined
  /** Anywhere in the event's JSON text, whatever the case of its letters. */
  text: string
}

/** Keeps what a filter lets through of a log that only grows: each event is looked at once. */
export class Filtered {
  readonly #filter: Filter
  readonly #pattern: RegExp | undefined
  #seen = 0
  #kept: Entry[] = []

  constructor(filter: Filter) {
    this.#filter = filter
    this.#pattern = filter.text ? new RegExp(filter.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i') : undefined
  }

  /** The entries that fit; the same array while none came that does. */
  of(entries: readonly Entry[]): readonly Entry[] {
    const fresh = entries.slice(this.#seen).filter((entry) => this.#fits(entry))
    this.#seen = entries.length
    if (fresh.length > 0) this.#kept = this.#kept.concat(fresh)
    return this.#kept
  }

  #fits({ type, calls, raw }: Entry): boolean {
    const { type: wanted, callId } = this.#filter
    if (wanted && type !== wanted) return false
    if (callId !== undefined && !calls.includes(callId)) return false
    return this.#pattern === undefined || this.#pattern.test(raw)
  }
}
