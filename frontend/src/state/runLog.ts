import { decode, isWireError, type Status } from '../protocol/events'
import type { LogLine } from '../protocol/replay'
import { apply, applyError, newTranscript, type Transcript } from '../protocol/transcript'
import type { RunSummary } from '../transport/answers'
import type { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import { Steps } from '../transport/steps'
import { onlyGrows } from './playback'
import { type Row, runRows } from './rows'
import { settledRows, tailOf } from './tail'
import type { RunView } from './threadStore'

/** So many events of the end of a long log are read first. */
const tailLength = 1500

/** How much of a log can be shown: nothing, its end, or all that was read. */
export type Extent = 'none' | 'tail' | 'whole'

/** Where a log tells what became of it. */
export interface Hears {
  /** Its rows or its state may be others now. */
  changed(): void
  /** Resolves once what changed is on the screen. */
  shown(): Promise<void>
  signal: AbortSignal
}

/** The log of one run of the open thread: read and folded as it grows, the end of a long one first. */
export class RunLog implements RunView {
  readonly id: string
  readonly agentName: string
  readonly createdAt: number
  status: Status
  transcript: Transcript = newTranscript()
  added?: RunView['added']
  fault?: string
  /** What keeps it from being read on where it is, while that lasts. */
  notice?: string
  /** There are events up to this number. */
  wanted: number
  /** Its rows have to be made anew. */
  dirty = true
  rows: Row[] = []
  /** How much of it the rows show. */
  placed: Extent = 'none'
  /** Calls that may fold together with some above are not among the rows. */
  cut = false
  /** Unix ms of the newest event. */
  lastAt = 0
  readonly #api: Api
  readonly #hears: Hears
  #extent: Extent
  #tail: RunView | undefined
  #anew = false
  #pulling: Promise<void> | undefined

  /** extent is none for a log that is not shown before it was read. */
  constructor(api: Api, run: RunSummary, extent: 'none' | 'whole', hears: Hears) {
    this.#api = api
    this.#hears = hears
    this.#extent = extent
    this.placed = extent
    this.id = run.id
    this.agentName = run.agentName
    this.createdAt = run.createdAt
    this.status = run.status
    this.wanted = run.last
  }

  /** How much of it can be shown. */
  get extent(): Extent {
    return this.#extent
  }

  /** The log was not read from its beginning: the transcript is still empty. */
  get unread(): boolean {
    return this.#extent !== 'whole'
  }

  /** The run as far as it can be shown: while the log is read, as its end tells it. */
  get view(): RunView {
    return this.#tail ?? this
  }

  get behind(): boolean {
    return this.transcript.last < this.wanted || this.transcript.status === 'running' || this.fault !== undefined
  }

  meet(run: RunSummary): void {
    this.status = run.status
    this.wanted = Math.max(this.wanted, run.last)
  }

  /** Reads on until the run has given what it rang for. One request at a time, and at most one per frame. */
  pull(endFirst = false): Promise<void> {
    this.#pulling ??= this.#readOn(endFirst)
    return this.#pulling
  }

  /** Reads the log again from its first event. */
  async reload(): Promise<void> {
    await this.#pulling
    this.#anew = true
    await this.pull()
  }

  /** Makes the rows of what can be shown now. */
  place(newest: boolean): void {
    this.dirty = false
    this.placed = this.#extent
    if (!this.#tail) {
      this.rows = runRows(this, newest, this.rows)
      return
    }
    const rows = runRows(this.#tail, newest, [])
    this.rows = settledRows(rows)
    this.cut = rows.length - this.rows.length > 1 // more than the speaker's name
  }

  async #readOn(endFirst: boolean): Promise<void> {
    try {
      if (endFirst && this.unread) await this.#readTail()
      do {
        const { wanted } = this
        const after = this.#anew ? 0 : this.transcript.last
        const page = await this.#api.events(this.id, after, this.#hears.signal)
        this.fault = undefined
        this.status = page.status
        if (after === 0) await this.#begin(page.events)
        else await this.#fold(this.transcript, page.events)
        // There was less than was rung for, and no ring came meanwhile: the next one brings the rest.
        if (page.events.length === 0 && this.wanted === wanted) this.wanted = this.transcript.last
        this.#hears.changed()
        if (this.transcript.last < this.wanted) await pause(16)
      } while (this.transcript.last < this.wanted && !this.#hears.signal.aborted)
    } catch (cause) {
      if (this.#hears.signal.aborted) return
      this.#fail(messageOf(cause))
    } finally {
      this.#pulling = undefined
    }
  }

  /** Reads the end of the log, to be shown while the rest is read. */
  async #readTail(): Promise<void> {
    const page = await this.#api.events(this.id, Math.max(0, this.wanted - tailLength), this.#hears.signal)
    this.status = page.status
    const tail = tailOf(this, page.events)
    if (!tail || settledRows(runRows(tail, true, [])).length === 0) return
    this.#tail = tail
    this.#extent = 'tail'
    this.#hears.changed()
    await this.#hears.shown()
  }

  /** Folds a log that was read from its first event, and shows it once it is as far as what was shown before. */
  async #begin(lines: readonly LogLine[]): Promise<void> {
    this.#anew = false
    const transcript = newTranscript()
    const seen = this.view.transcript.last
    const there = lines.findIndex(({ seq }) => seq >= seen) + 1 || lines.length
    await this.#fold(transcript, lines.slice(0, this.#tail ? there : undefined))
    this.transcript = transcript
    this.dirty = true
    this.#extent = 'whole'
    this.#hears.changed()
    if (!this.#tail) return
    this.#tail = undefined
    await this.#hears.shown()
    await this.#fold(transcript, lines.slice(there))
  }

  async #fold(transcript: Transcript, lines: readonly LogLine[]): Promise<void> {
    const steps = new Steps()
    for (const { seq, raw } of lines) {
      this.#apply(transcript, seq, raw)
      if (steps.due()) await steps.rest()
    }
  }

  #apply(transcript: Transcript, seq: number, raw: string): void {
    const before = transcript.items.length
    const frame = decode(raw, seq)
    if (isWireError(frame)) {
      applyError(transcript, frame)
      this.dirty = true
      return
    }
    apply(transcript, frame)
    this.lastAt = Math.max(this.lastAt, frame.at)
    if (!onlyGrows(frame) || transcript.items.length !== before || transcript.gaps.length > 0) this.dirty = true
  }

  #fail(message: string): void {
    this.fault = message
    if (this.#tail) this.#tail.fault = message
    else this.#extent = 'whole'
    this.dirty = true
    this.#hears.changed()
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
