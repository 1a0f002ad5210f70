import { decode, isWireError, type Status } from '../protocol/events'
import {
  apply,
  applyError,
  type Call,
  ended,
  newTranscript,
  pendingCalls,
  type Transcript,
} from '../protocol/transcript'
import type { RunSummary } from '../transport/answers'
import { type Api, ApiError, messageOf } from '../transport/api'
import type { Ring } from '../transport/transport'
import { Cell } from './cell'
import { Folding } from './folding'
import { type Moment, onlyGrows, Playback } from './playback'
import { type Row, runRows } from './rows'

/** A run of the open thread. Its transcript is changed in place; the store's version says when to look again. */
export interface RunView {
  readonly id: string
  agentName: string
  createdAt: number
  /** What the server says, which may be ahead of the transcript. */
  status: Status
  transcript: Transcript
  /** Why its events could not be read. */
  fault?: string
}

/** A call with the run it belongs to. */
export interface RunCall {
  run: RunView
  call: Call
}

/** What the thread as a whole does; a new object only when something of it changed. */
export interface ThreadState {
  phase: 'loading' | 'ready' | 'failed'
  fault?: { message: string; code: string }
  /** The newest run, if it has not ended. */
  live?: RunView
  /** How the newest run stands. */
  status?: Status
  /** Calls that wait for a person, in the order they were asked. */
  waiting: RunCall[]
  /** Unix ms of the newest event. */
  lastAt: number
}

interface Entry extends RunView {
  /** The reading that goes on. */
  pulling?: Promise<void>
  wanted: number
  dirty: boolean
  rows: Row[]
}

const empty: ThreadState = { phase: 'loading', waiting: [], lastAt: 0 }

/**
 * The events of one thread, folded as they come. It reads on when a ring says there is more, changes its transcripts in place
 * and tells its listeners at most once per animation frame.
 */
export class ThreadStore {
  readonly threadId: string
  readonly state = new Cell<ThreadState>(empty)
  /** The rows of all runs in order: a new array only when a row came, went or changed its kind. */
  readonly rows = new Cell<Row[]>([])
  /** The run that is played back, while one is: the thread is then shown as it was at one of that run's events. */
  readonly playback = new Cell<Playback | undefined>(undefined)
  readonly folding = new Folding(
    () => {
      this.#rebuild()
      this.#tell()
    },
    () => this.now(),
  )
  /** What is open inside of rows, kept while they are scrolled away. */
  readonly flags = new Map<string, boolean>()
  readonly #api: Api
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  #order: Entry[] = []
  #playedRows: Row[] = []
  #playedDirty = false
  #scheduled = false
  #lastAt = 0

  constructor(api: Api, threadId: string) {
    this.#api = api
    this.threadId = threadId
  }

  /** The runs that are shown, the newest last: in playback the one that is played ends them. */
  get runs(): readonly RunView[] {
    return this.#shown()
  }

  /** All runs as they are now. */
  get liveRuns(): readonly RunView[] {
    return this.#order
  }

  /** The time it is in what is shown, in Unix ms: in playback that of its event. */
  now(): number {
    const playback = this.#played()
    return playback ? playback.now : Date.now()
  }

  /** Shows a run as it was at a moment, and the runs before it; false when the thread has no such run. */
  play(runId: string, moment: Moment): boolean {
    const current = this.playback.get()
    if (current?.run.id === runId) {
      if (current.state.get().phase === 'failed') void current.open(moment)
      else current.go(moment)
      return true
    }
    const run = this.#entries.get(runId)
    if (!run) return false
    this.live()
    const playback = new Playback(this.#api, run, (rows) => {
      this.#playedDirty ||= rows
      this.#schedule()
    })
    this.playback.set(playback)
    void playback.open(moment)
    return true
  }

  /** Ends playback: the thread is shown as it is now. */
  live(): void {
    const playback = this.playback.get()
    if (!playback) return
    playback.close()
    this.playback.set(undefined)
    this.#playedRows = []
    this.#playedDirty = false
    this.#rebuild()
    const { phase, fault } = this.state.get()
    this.#settle(phase, fault)
    this.#tell()
  }

  /** Hears that transcripts changed, once per frame. A row looks only at the version of its own call. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the thread's runs and what is new in each: at the start, after a lost connection, when a new run began. */
  async refresh(): Promise<void> {
    try {
      const runs = await this.#api.runs(this.threadId)
      for (const run of runs) this.#meet(run)
      this.#order = [...this.#entries.values()].sort((a, b) => a.createdAt - b.createdAt)
      await Promise.all(this.#order.filter((entry) => this.#behind(entry)).map((entry) => this.#pull(entry)))
      this.#settle('ready')
    } catch (cause) {
      if (this.#closing.signal.aborted) return
      const code = cause instanceof ApiError ? cause.code : ''
      // What was read stays readable: only a thread of which nothing came shows the fault in its place.
      this.#settle(this.#order.length === 0 ? 'failed' : 'ready', { message: messageOf(cause), code })
    }
  }

  /** Takes a ring of any run; those of other threads are ignored. */
  ring(ring: Ring): void {
    if (ring.threadId !== this.threadId) return
    const entry = this.#entries.get(ring.runId)
    if (!entry) {
      void this.refresh()
      return
    }
    if (ring.error) entry.fault = ring.error
    entry.wanted = Math.max(entry.wanted, ring.last)
    const playback = this.playback.get()
    if (playback?.run.id === ring.runId) playback.ring(ring.last)
    void this.#pull(entry)
  }

  /** Opens what the row of a call stands in, so that it is among the rows; false when it was, or there is none. */
  reveal(runId: string, callId: string): boolean {
    const all = this.#order.flatMap((entry) => entry.rows).concat(this.#playedRows)
    const row = all.find((each) => each.kind === 'call' && each.run.id === runId && each.call.id === callId)
    return row?.kind === 'call' && this.folding.reveal(row)
  }

  /** Folds a run again from its first event: for one of which events are missing. */
  async reload(runId: string): Promise<void> {
    const entry = this.#entries.get(runId)
    if (!entry) return
    entry.transcript = newTranscript()
    entry.dirty = true
    await this.#pull(entry)
  }

  close(): void {
    this.#closing.abort()
    this.playback.get()?.close()
    this.#listeners.clear()
  }

  #meet(run: RunSummary): void {
    const entry = this.#entries.get(run.id)
    if (entry) {
      entry.status = run.status
      entry.wanted = Math.max(entry.wanted, run.last)
      return
    }
    const { id, agentName, createdAt, status, last } = run
    const transcript = newTranscript()
    this.#entries.set(id, {
      id,
      agentName,
      createdAt,
      status,
      transcript,
      wanted: last,
      dirty: true,
      rows: [],
    })
  }

  #behind(entry: Entry): boolean {
    return entry.transcript.last < entry.wanted || entry.transcript.status === 'running' || entry.fault !== undefined
  }

  /** Reads on until the run has given what it rang for. One request at a time, and at most one per frame. */
  #pull(entry: Entry): Promise<void> {
    entry.pulling ??= this.#readOn(entry)
    return entry.pulling
  }

  async #readOn(entry: Entry): Promise<void> {
    try {
      do {
        const { wanted } = entry
        const page = await this.#api.events(entry.id, entry.transcript.last, this.#closing.signal)
        entry.fault = undefined
        entry.status = page.status
        for (const event of page.events) this.#apply(entry, event.seq, event.raw)
        // There was less than was rung for, and no ring came meanwhile: the next one brings the rest.
        if (page.events.length === 0 && entry.wanted === wanted) entry.wanted = entry.transcript.last
        this.#schedule()
        if (entry.transcript.last < entry.wanted) await pause(16)
      } while (entry.transcript.last < entry.wanted && !this.#closing.signal.aborted)
    } catch (cause) {
      if (this.#closing.signal.aborted) return
      entry.fault = messageOf(cause)
      entry.dirty = true
      this.#schedule()
    } finally {
      entry.pulling = undefined
    }
  }

  #apply(entry: Entry, seq: number, raw: string): void {
    const { transcript } = entry
    const before = transcript.items.length
    const frame = decode(raw, seq)
    if (isWireError(frame)) {
      applyError(transcript, frame)
      entry.dirty = true
      return
    }
    apply(transcript, frame)
    this.#lastAt = Math.max(this.#lastAt, frame.at)
    if (!onlyGrows(frame) || transcript.items.length !== before || transcript.gaps.length > 0) entry.dirty = true
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const publish = () => {
      this.#scheduled = false
      if (this.#closing.signal.aborted) return
      this.#publish()
    }
    // A hidden page gets no frames, but its title and its notifications go on.
    if (document.hidden) setTimeout(publish, 100)
    else requestAnimationFrame(publish)
  }

  #publish(): void {
    if (this.#playedDirty || this.#order.some((entry) => entry.dirty)) this.#rebuild()
    const { phase, fault } = this.state.get()
    this.#settle(phase, fault)
    this.#tell()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #rebuild(): void {
    const newest = this.#order.at(-1)
    for (const entry of this.#order) {
      if (!entry.dirty) continue
      entry.dirty = false
      entry.rows = runRows(entry, entry === newest, entry.rows)
    }
    const playback = this.#played()
    if (playback && this.#playedDirty) this.#playedRows = runRows(playback.run, false, this.#playedRows)
    this.#playedDirty = false
    const all = this.#before(playback).flatMap((entry) => entry.rows)
    const last = playback ? playback.run : newest
    this.rows.set(this.folding.fold(all.concat(this.#playedRows), last && !ended(last.transcript.status)))
  }

  /** The playback that is shown: one that still reads, or could not, is not. */
  #played(): Playback | undefined {
    const playback = this.playback.get()
    return playback?.state.get().phase === 'ready' ? playback : undefined
  }

  /** The runs that stand whole above the one that is played. */
  #before(playback: Playback | undefined): Entry[] {
    return playback
      ? this.#order.slice(
          0,
          this.#order.findIndex(({ id }) => id === playback.run.id),
        )
      : this.#order
  }

  #shown(): RunView[] {
    const playback = this.#played()
    return playback ? [...this.#before(playback), playback.run] : this.#order
  }

  #settle(phase: ThreadState['phase'], fault?: ThreadState['fault']): void {
    const newest = this.#order.at(-1)
    const before = this.state.get()
    if (phase === 'ready' && before.phase !== 'ready') this.#rebuild()
    const status = newest && (newest.transcript.last === 0 ? newest.status : newest.transcript.status)
    const live = newest && status && !ended(status) ? newest : undefined
    const waiting = this.#order.flatMap((run) => pendingCalls(run.transcript).map((call) => ({ run, call })))
    const same =
      before.phase === phase &&
      before.fault === fault &&
      before.live === live &&
      before.status === status &&
      before.waiting.length === waiting.length &&
      before.waiting.every((each, i) => each.call === waiting[i]?.call)
    if (same) before.lastAt = this.#lastAt
    else this.state.set({ phase, fault, live, status, waiting, lastAt: this.#lastAt })
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
