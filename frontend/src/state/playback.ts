import { isWireError } from '../protocol/events'
import { type Read, Replay } from '../protocol/replay'
import { ended } from '../protocol/transcript'
import type { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import { Cell } from './cell'
import { type Mark, Marks } from './marks'
import type { RunView } from './threadStore'

/** How fast a run is played: times its own pace, or as fast as it can. */
export type Speed = 0.5 | 1 | 2 | 4 | 10 | 'fast'

export const speeds: readonly Speed[] = [0.5, 1, 2, 4, 10, 'fast']

/** A wait between two events that is longer takes only this long, in ms at the run's own pace. */
export const longestWait = 2000
/** As fast as it can: every frame shows a later event, and a run takes at most so many frames. */
const mostFrames = 600
/** A log is folded in slices of so many ms, so that the window stays awake. */
const slice = 10

/** A place to go to in a run: a number of its log, or the event that made a row what it is. */
export type Moment = { seq: number } | { itemKey: string } | 'end'

export interface PlaybackState {
  phase: 'reading' | 'ready' | 'failed'
  fault?: string
  /** How much of the log was folded, from 0 to 1. */
  read: number
  /** The event the view stands at, counted from 1, and how many there are. */
  at: number
  length: number
  /** The number of that event, and of the last. */
  seq: number
  lastSeq: number
  playing: boolean
  speed: Speed
  /** The wait that is shortened just now, in ms. */
  wait?: number
}

/** One run of a thread as it was at any of its events. */
export class Playback {
  /** The run as the views see it: its transcript is the fold up to the event the playback stands at. */
  readonly run: RunView
  readonly state: Cell<PlaybackState>
  readonly marks = new Cell<readonly Mark[]>([])
  readonly #api: Api
  readonly #replay = new Replay()
  readonly #changed: (rows: boolean) => void
  readonly #closing = new AbortController()
  readonly #marks = new Marks()
  /** By line, Unix ms; of a line that tells no time the time before it. */
  readonly #times: number[] = []
  /** By line, whether it only made something longer that is there. */
  readonly #grows: boolean[] = []
  /** By line, the item it is about. */
  readonly #items: (string | undefined)[] = []
  #wanted = 0
  #pulling = false
  #frame = 0
  #last = 0
  #credit = 0

  /** changed hears of every move; rows is false when only texts grew or shrank. */
  constructor(api: Api, run: RunView, changed: (rows: boolean) => void) {
    this.#api = api
    this.#changed = changed
    const { id, agentName, createdAt, status } = run
    this.run = { id, agentName, createdAt, status, transcript: this.#replay.transcript }
    const [at, length, seq, lastSeq] = [0, 0, 0, 0]
    this.state = new Cell<PlaybackState>({
      phase: 'reading',
      read: 0,
      at,
      length,
      seq,
      lastSeq,
      playing: false,
      speed: 1,
    })
  }

  /** Unix ms of the event it stands at. */
  get now(): number {
    return this.#times[this.#replay.at - 1] ?? this.run.createdAt
  }

  /** The number of the n-th event. */
  seqOf(n: number): number {
    return this.#replay.seqOf(n)
  }

  /** The key of the item the event is about, if it is about one. */
  get itemKey(): string | undefined {
    return this.#items[this.#replay.at - 1]
  }

  /** What the event it stands at says. */
  get event(): Read | undefined {
    return this.#replay.read(this.#replay.at)
  }

  /** Reads and folds the log and goes to the moment. */
  async open(moment: Moment): Promise<void> {
    this.#patch({ phase: 'reading', fault: undefined })
    try {
      await this.#read()
      while (this.#replay.folded < this.#replay.length) {
        this.#fold(performance.now() + slice)
        this.#patch({ read: this.#replay.folded / this.#replay.length })
        await new Promise((resolve) => setTimeout(resolve))
        if (this.#closing.signal.aborted) return
      }
    } catch (cause) {
      if (this.#closing.signal.aborted) return
      this.#patch({ phase: 'failed', fault: messageOf(cause) })
      return
    }
    this.marks.set(this.#marks.all())
    this.#patch({ phase: 'ready', read: 1 })
    this.go(moment)
    this.#changed(true)
  }

  go(moment: Moment): void {
    if (moment === 'end') this.seek(this.#replay.length)
    else if ('seq' in moment) this.seek(this.#replay.upTo(moment.seq))
    else this.seek(this.#items.lastIndexOf(moment.itemKey, this.#replay.at - 1) + 1 || this.#replay.at)
  }

  /** Goes to the n-th event, from the first to the last there is. */
  seek(n: number): void {
    this.#credit = 0
    this.#move(n)
  }

  step(by: number): void {
    this.seek(this.#replay.at + by)
  }

  /** Plays on; from the beginning when it stands at the end of a run that has ended. */
  play(): void {
    const { phase, playing, at, length } = this.state.get()
    if (phase !== 'ready' || playing) return
    if (at === length && ended(this.run.transcript.status)) this.seek(1)
    this.#credit = 0
    this.#last = performance.now()
    this.#patch({ playing: true })
    this.#frame = requestAnimationFrame(this.#tick)
  }

  pause(): void {
    cancelAnimationFrame(this.#frame)
    this.#patch({ playing: false, wait: undefined })
  }

  toggle(): void {
    if (this.state.get().playing) this.pause()
    else this.play()
  }

  setSpeed(speed: Speed): void {
    this.#credit = 0
    this.#patch({ speed })
  }

  /** There are events up to a number. */
  ring(last: number): void {
    this.#wanted = Math.max(this.#wanted, last)
    const { phase } = this.state.get()
    if (phase !== 'ready' || this.#pulling) return
    this.#pulling = true
    this.#read()
      .catch((cause: unknown) => console.warn('What is new of the run could not be read', cause))
      .finally(() => {
        this.#pulling = false
      })
  }

  close(): void {
    this.#closing.abort()
    cancelAnimationFrame(this.#frame)
  }

  async #read(): Promise<void> {
    do {
      const { length } = this.#replay
      const page = await this.#api.events(this.run.id, this.#replay.seqOf(length), this.#closing.signal)
      this.#replay.add(page.events)
      this.#mark()
      this.#patch({ length: this.#replay.length, lastSeq: this.#replay.seqOf(this.#replay.length) })
      if (page.events.length === 0) this.#wanted = 0
    } while (this.#replay.seqOf(this.#replay.length) < this.#wanted)
  }

  /** Marks what came after the log was folded; what is folded first is marked as it is folded. */
  #mark(): void {
    if (this.state.get().phase !== 'ready') return
    for (let n = this.#times.length + 1; n <= this.#replay.length; n++) {
      const read = this.#replay.read(n)
      if (read) this.#note(n, read)
    }
    this.marks.set(this.#marks.all())
  }

  #note(n: number, read: Read): void {
    const before = this.#times.at(-1) ?? this.run.createdAt
    this.#times.push(isWireError(read) || read.at === 0 ? before : read.at)
    this.#marks.take(n, read)
  }

  /** Folds lines that were not yet, until a time or to a line. */
  #fold(until: number, to = this.#replay.length): void {
    const { transcript } = this.#replay
    if (this.#replay.at !== this.#replay.folded) this.#replay.seek(this.#replay.folded)
    while (this.#replay.at < to && performance.now() < until) {
      const items = transcript.items.length
      const open = transcript.own.open?.key
      const read = this.#replay.step()
      if (!read) return
      const n = this.#replay.at
      if (this.#times.length < n) this.#note(n, read)
      const grows = onlyGrows(read) && transcript.items.length === items && transcript.gaps.length === 0
      this.#grows[n - 1] = grows
      this.#items[n - 1] = itemOf(read, open, transcript.own.open?.key)
    }
  }

  #move(n: number): void {
    const from = this.#replay.at
    const to = Math.max(1, Math.min(n, this.#replay.length))
    if (to > this.#replay.folded) this.#fold(Number.POSITIVE_INFINITY, to)
    this.#replay.seek(to)
    this.run.status = this.run.transcript.status
    const { length } = this.#replay
    this.#patch({ at: to, length, seq: this.#replay.seqOf(to), lastSeq: this.#replay.seqOf(length) })
    const [low, high] = from < to ? [from, to] : [to, from]
    this.#changed(high - low > 100 || this.#grows.slice(low, high).includes(false))
  }

  readonly #tick = (time: number): void => {
    const { at, length, speed } = this.state.get()
    const passed = Math.max(0, time - this.#last)
    this.#last = time
    let next = at
    if (speed === 'fast') next = Math.min(length, at + Math.max(1, Math.ceil(length / mostFrames)))
    else {
      this.#credit += passed * speed
      while (next < length && this.#credit >= this.#gap(next)) this.#credit -= this.#gap(next++)
    }
    if (next !== at) this.#move(next)
    if (next === length && ended(this.run.transcript.status)) {
      this.pause()
      return
    }
    if (next === length) this.#credit = 0
    const wait = speed !== 'fast' && this.#wait(next) > longestWait ? this.#wait(next) : undefined
    this.#patch({ wait })
    this.#frame = requestAnimationFrame(this.#tick)
  }

  /** Between the n-th event and the next, in ms. */
  #wait(n: number): number {
    return Math.max(0, (this.#times[n] ?? 0) - (this.#times[n - 1] ?? 0))
  }

  #gap(n: number): number {
    return Math.min(longestWait, this.#wait(n))
  }

  #patch(change: Partial<PlaybackState>): void {
    const before = this.state.get()
    const next = { ...before, ...change }
    const names = Object.keys(change) as (keyof PlaybackState)[]
    if (names.some((name) => before[name] !== next[name])) this.state.set(next)
  }
}

/** Whether an event can do no more than make a text longer or a progress newer. */
export function onlyGrows(read: Read): boolean {
  if (isWireError(read)) return false
  const { type } = read.event
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-delta' || type === 'tool-update'
}

/** The key of the item an event is about; before and after are the part that was open before it and after it. */
function itemOf(read: Read, before: string | undefined, after: string | undefined): string | undefined {
  if (isWireError(read)) return undefined
  const e = read.event
  switch (e.type) {
    case 'message':
      return `message:${e.messageId}`
    case 'turn':
      return `turn:${e.turn}`
    case 'text-start':
    case 'reasoning-start':
    case 'text-delta':
    case 'reasoning-delta':
      return after
    case 'text-end':
    case 'reasoning-end':
      return before
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call-end':
      return `call:${e.id}`
    case 'tool-update':
    case 'call-state':
    case 'tool-result':
      return `call:${e.toolCallId}`
    case 'approval-required':
      return e.approvals[0] && `call:${e.approvals[0].toolCallId}`
    case 'start':
    case 'error':
    case 'finish':
    case 'unknown':
      return undefined
    default:
      e satisfies never
      return undefined
  }
}
