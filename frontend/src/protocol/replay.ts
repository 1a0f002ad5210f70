import { decode, type Frame, isWireError, type WireError } from './events'
import { apply, applyError, type Transcript } from './transcript'
import { type Change, type Recorder, watchedTranscript } from './undo'

/** An event of a log under its number, as its text came. */
export interface LogLine {
  seq: number
  raw: string
}

/** What a line of a log says: an event, or something that is none. */
export type Read = Frame | WireError

/**
 * A log folded up to any of its lines. It is the fold of the live view; what each event changed is kept, so that going back,
 * and forth again, costs what the events between changed and no more.
 */
export class Replay {
  /** The fold of the first `at` lines; changed in place by seek. */
  readonly transcript: Transcript
  readonly #recorder: Recorder
  readonly #lines: LogLine[] = []
  /** What each line changed, as far as lines were folded. */
  readonly #changes: Change[][] = []
  #at = 0

  constructor() {
    ;[this.transcript, this.#recorder] = watchedTranscript()
  }

  /** How many lines the transcript is the fold of. */
  get at(): number {
    return this.#at
  }

  /** How many lines there are. */
  get length(): number {
    return this.#lines.length
  }

  /** How many lines were folded once; up to there a seek is fast. */
  get folded(): number {
    return this.#changes.length
  }

  add(lines: readonly LogLine[]): void {
    for (const line of lines) this.#lines.push(line)
  }

  /** The number of the n-th line, from 1; 0 where there is none. */
  seqOf(n: number): number {
    return this.#lines[n - 1]?.seq ?? 0
  }

  /** How many lines stand up to a number. */
  upTo(seq: number): number {
    let [low, high] = [0, this.#lines.length]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.seqOf(middle) <= seq) low = middle
      else high = middle - 1
    }
    return low
  }

  /** What the n-th line says. */
  read(n: number): Read | undefined {
    const line = this.#lines[n - 1]
    return line && decode(line.raw, line.seq)
  }

  /** Makes the transcript the fold of the first n lines, of at most all. */
  seek(n: number): void {
    const to = Math.max(0, Math.min(n, this.#lines.length))
    while (this.#at > to) {
      const changes = this.#changes[--this.#at] ?? []
      for (let i = changes.length - 1; i >= 0; i--) changes[i]?.undo()
    }
    while (this.#at < Math.min(to, this.folded)) {
      for (const change of this.#changes[this.#at] ?? []) change.redo()
      this.#at++
    }
    while (this.#at < to) this.step()
  }

  /** Takes the next line; returns what it says, or undefined at the end. */
  step(): Read | undefined {
    if (this.#at < this.folded) {
      this.seek(this.#at + 1)
      return this.read(this.#at)
    }
    const read = this.read(this.#at + 1)
    if (read === undefined) return undefined
    this.#changes.push(
      this.#recorder.record(this.transcript, pieceOf(read), () => {
        if (isWireError(read)) applyError(this.transcript, read)
        else apply(this.transcript, read)
      }),
    )
    this.#at++
    return read
  }
}

/** The text an event adds to one that grows. */
function pieceOf(read: Read): string | undefined {
  if (isWireError(read)) return undefined
  switch (read.event.type) {
    case 'tool-call-delta':
      return read.event.argsTextDelta
    case 'text-delta':
    case 'reasoning-delta':
      return read.event.delta
    default:
      return undefined
  }
}
