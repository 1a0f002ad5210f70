import type { Status } from '../protocol/events'
import { type Call, ended, pendingCalls, type Transcript } from '../protocol/transcript'
import type { RunSummary } from '../transport/answers'
import type { Api } from '../transport/api'
import { ApiError, messageOf } from '../transport/apiError'
import type { AddedMessage } from '../transport/inspection'
import type { Ring } from '../transport/transport'
import { type AddedRows, addedRows, placeAdded } from './added'
import { Cell } from './cell'
import { type CutPlace, cutPlace, samePlace } from './cutPlace'
import { Folding } from './folding'
import { type Moment, Playback } from './playback'
import { type Row, runRows } from './rows'
import { RunLog } from './runLog'

/** A thread with more events than this shows its end before all of it was read. */
const few = 3000

/** A run of the open thread. Its transcript is changed in place; the store's version says when to look again. */
export interface RunView {
  readonly id: string
  readonly agentName: string
  readonly createdAt: number
  /** What the server says, which may be ahead of the transcript. */
  status: Status
  transcript: Transcript
  /** What programs put into the thread around it. */
  added?: AddedRows
  /** Why its events could not be read. */
  fault?: string
  /** Its events were not read from the first on: the transcript is still empty. */
  readonly unread?: boolean
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
  /** What keeps the live run from being read on, while that lasts. */
  notice?: string
  /** Only the end of the thread is shown: what stands above it was not read yet. */
  partial: boolean
  /** Unix ms of the newest event. */
  lastAt: number
}

const empty: ThreadState = { phase: 'loading', waiting: [], partial: false, lastAt: 0 }

/**
 * The events of one thread, folded as they come. It reads on when a ring says there is more, changes its transcripts in place
 * and tells its listeners at most once per animation frame.
 */
export class ThreadStore {
  readonly threadId: string
  readonly state = new Cell<ThreadState>(empty)
  /** The rows of all runs in order: a new array only when a row came, went or changed its kind. */
  readonly rows = new Cell<Row[]>([])
  /** Where among them the newest request cut the history. */
  readonly cut = new Cell<CutPlace | undefined>(undefined)
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
  readonly #logs = new Map<string, RunLog>()
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  #order: RunLog[] = []
  /** What programs put into the thread, outside of its runs. */
  #added: AddedMessage[] = []
  /** Wait until what changed is on the screen. */
  #shownNext: (() => void)[] = []
  /** The thread is long and nothing of it is shown yet. */
  #endFirst = false
  #playedRows: Row[] = []
  #playedDirty = false
  #scheduled = false

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
    const run = this.#logs.get(runId)
    if (!run) return false
    this.live()
    const playback = new Playback(this.#api, run, (rows) => {
      this.#playedDirty ||= rows
      this.#schedule()
    })
    playback.run.added = run.added && { before: run.added.before, after: [] }
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

  /**
   * Reads the thread's runs and what is new in each: at the start, after a lost connection, when a new run began. At the start
   * of a long thread the end of its newest run is shown first, and the rest above it as it comes.
   */
  async refresh(): Promise<void> {
    try {
      const [runs, added] = await Promise.all([this.#api.runs(this.threadId), this.#readAdded()])
      for (const run of runs) this.#meet(run)
      this.#order = [...this.#logs.values()].sort((a, b) => a.createdAt - b.createdAt)
      this.#placeAdded(added)
      const behind = this.#order.filter((log) => log.behind).reverse()
      const newest = this.#order.at(-1)
      this.#endFirst = this.state.get().phase !== 'ready' && total(behind) > few
      if (newest && this.#endFirst) {
        await newest.pull(newest.wanted > few)
        this.#open()
      }
      await Promise.all(behind.map((log) => log.pull()))
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
    const log = this.#logs.get(ring.runId)
    if (!log) {
      void this.refresh()
      return
    }
    if (ring.error) log.fault = ring.error
    if (log.notice !== ring.notice) {
      log.notice = ring.notice
      this.#changed()
    }
    log.wanted = Math.max(log.wanted, ring.last)
    const playback = this.playback.get()
    if (playback?.run.id === ring.runId) playback.ring(ring.last)
    void log.pull()
  }

  /** Opens what the row of a call stands in, so that it is among the rows; false when it was, or there is none. */
  reveal(runId: string, callId: string): boolean {
    const all = this.#order.flatMap((log) => log.rows).concat(this.#playedRows)
    const row = all.find((each) => each.kind === 'call' && each.run.id === runId && each.call.id === callId)
    return row?.kind === 'call' && this.folding.reveal(row)
  }

  /** Folds a run again from its first event: for one of which events are missing. */
  async reload(runId: string): Promise<void> {
    await this.#logs.get(runId)?.reload()
  }

  close(): void {
    this.#closing.abort()
    this.playback.get()?.close()
    this.#listeners.clear()
    this.#releaseShown()
  }

  /** A server that keeps no such messages has none. */
  async #readAdded(): Promise<AddedMessage[]> {
    try {
      return await this.#api.added(this.threadId)
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'NOT_FOUND') return []
      throw cause
    }
  }

  #placeAdded(added: AddedMessage[]): void {
    let changed = added.length !== this.#added.length // none goes but with its thread
    this.#added = added
    const places = placeAdded(added, this.#order)
    for (const [i, log] of this.#order.entries()) {
      if (sameAdded(log.added, places[i])) continue
      log.added = places[i]
      log.dirty = changed = true
    }
    if (changed && this.state.get().phase === 'ready') this.#rebuild()
  }

  #meet(run: RunSummary): void {
    const log = this.#logs.get(run.id)
    if (log) {
      log.meet(run)
      return
    }
    const hears = {
      changed: () => this.#changed(),
      shown: () => new Promise<void>((resolve) => this.#shownNext.push(resolve)),
      signal: this.#closing.signal,
    }
    const extent = this.state.get().phase === 'ready' ? 'whole' : 'none'
    this.#logs.set(run.id, new RunLog(this.#api, run, extent, hears))
  }

  #changed(): void {
    this.#open()
    this.#schedule()
  }

  /** Shows a long thread as soon as there is something of its newest run. */
  #open(): void {
    const newest = this.#order.at(-1)
    if (!this.#endFirst || !newest || newest.extent === 'none') return
    this.#endFirst = false
    this.#settle('ready')
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
    if (this.#playedDirty || this.#order.some((log) => log.dirty)) this.#rebuild()
    const { phase, fault } = this.state.get()
    this.#settle(phase, fault)
    this.#tell()
    this.#releaseShown()
    if (this.#order.some((log) => log.dirty)) this.#schedule()
  }

  #releaseShown(): void {
    for (const shown of this.#shownNext.splice(0)) shown()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #rebuild(): void {
    const newest = this.#order.at(-1)
    // What was read above the rows that are there comes alone: so the list knows that only its beginning is new.
    const above = this.#order.some((log) => log.placed !== log.extent)
    for (const log of this.#order) if (above ? log.placed !== log.extent : log.dirty) log.place(log === newest)
    const playback = this.#played()
    if (playback && this.#playedDirty) this.#playedRows = runRows(playback.run, false, this.#playedRows)
    this.#playedDirty = false
    const loose = this.#order.length === 0 ? addedRows(this.#added) : []
    const all = [...loose, ...standing(this.#before(playback)), ...this.#playedRows]
    const last = playback ? playback.run : newest?.view
    const live = last && !ended(last.transcript.status)
    this.rows.set(this.folding.fold(all, live, above ? this.rows.get() : undefined))
    const cut = cutPlace(playback ? this.#shown() : this.#order.map(({ view }) => view), this.rows.get())
    this.cut.update((was) => (samePlace(was, cut) ? was : cut))
  }

  /** The playback that is shown: one that still reads, or could not, is not. */
  #played(): Playback | undefined {
    const playback = this.playback.get()
    return playback?.state.get().phase === 'ready' ? playback : undefined
  }

  /** The runs that stand whole above the one that is played. */
  #before(playback: Playback | undefined): RunLog[] {
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
    const told = newest?.view.transcript
    const status = told && (told.last === 0 ? newest.status : told.status)
    const live = newest && status && !ended(status) ? newest : undefined
    const notice = live && newest?.notice
    const waiting = this.#order.flatMap((run) => pendingCalls(run.view.transcript).map((call) => ({ run, call })))
    const partial = phase === 'ready' && this.#order.some((log) => log.placed !== 'whole')
    const lastAt = Math.max(0, ...this.#order.map((log) => log.lastAt))
    const same =
      before.phase === phase &&
      before.fault === fault &&
      before.live === live &&
      before.status === status &&
      before.notice === notice &&
      before.partial === partial &&
      before.waiting.length === waiting.length &&
      before.waiting.every((each, i) => each.call === waiting[i]?.call)
    if (same) before.lastAt = lastAt
    else this.state.set({ phase, fault, live, status, notice, waiting, partial, lastAt })
  }
}

function sameAdded(a: AddedRows | undefined, b: AddedRows | undefined): boolean {
  const keys = (rows: AddedRows | undefined) =>
    rows && [...rows.before, null, ...rows.after].map((row) => row?.key).join(' ')
  return keys(a) === keys(b)
}

/** How many events runs have that were not read. */
function total(logs: readonly RunLog[]): number {
  return logs.reduce((sum, log) => sum + log.wanted - log.transcript.last, 0)
}

/** The rows of the runs that stand together at the end of the thread, and a row in place of what was not read above them. */
function standing(logs: readonly RunLog[]): Row[] {
  const from = logs.findLastIndex((log) => log.placed !== 'whole')
  const tail = logs[from]?.placed === 'tail' ? logs[from] : undefined
  const rows = logs.slice(tail ? from : from + 1).flatMap((log) => log.rows)
  if (from < 0) return rows
  const failed = logs.some((log) => log.placed !== 'whole' && log.fault !== undefined)
  return [{ kind: 'earlier', key: 'earlier', cut: tail?.cut ?? false, failed }, ...rows]
}
