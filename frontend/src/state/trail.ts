import type { Call, Item, Transcript } from '../protocol/transcript'
import type { CallRow, Row } from './rows'
import type { RunView } from './threadStore'

/** So many items after each other are made into rows before it is noted how far it got. */
const stride = 64

/** How far the rows of a run were made: all that the next item's rows depend on. */
export interface Stop {
  /** How many items were taken, and how many rows they made. */
  items: number
  rows: number
  speaker: string
  turn: number
  /** Turns whose footer stands, or that need none. */
  footed: number
  /** The index of the last turn any of the rows depends on. */
  turns: number
  /** A call was made by another. */
  nested: boolean
  /** A call was made by one that is not there. */
  orphaned: boolean
}

const beginning: Stop = {
  items: 0,
  rows: 0,
  speaker: '',
  turn: 0,
  footed: 0,
  turns: -1,
  nested: false,
  orphaned: false,
}

/** What of a turn its rows depend on. */
interface TurnAsItWas {
  agentName: string | undefined
  endedAt: number | undefined
  dropped: number
  retries: number
}

/**
 * How a list of rows was made. The next list begins where the run first differs: most events change what stands at its end.
 */
export class Trail {
  /** Where the rows begin to be made anew. */
  readonly from: Stop
  /** The rows before, in the order they were made. */
  readonly before: readonly Row[]
  /** By how far its item stands after that, each call, and when it had been written at the latest. */
  calls: (Call | undefined)[] = []
  written: (number | undefined)[] = []
  #rows: readonly Row[] = []
  readonly #items: readonly Item[]
  readonly #turns: TurnAsItWas[]
  readonly #agentName: string
  readonly #stops: Stop[]

  constructor(run: RunView, last: Trail | undefined) {
    const { transcript: t } = run
    this.#items = t.items.slice()
    this.#agentName = t.agentName || run.agentName
    this.#turns = turnsOf(run, last ? last.#turns : [])
    this.before = last ? last.#rows : []
    this.#stops = last ? this.#shared(last) : []
    this.from = this.#begin(run)
  }

  /** Notes how far it got, before it takes the next item. */
  pass(stop: () => Stop, items: number): void {
    if (items % stride === 0 && items > this.from.items) this.#stops.push(stop())
  }

  end(rows: readonly Row[]): void {
    this.#rows = rows
  }

  /** The stops of the last trail up to which nothing is different. */
  #shared(last: Trail): Stop[] {
    if (last.#agentName !== this.#agentName) return []
    const items = firstDifference(this.#items, last.#items)
    const turns = firstDifference(this.#turns, last.#turns)
    return last.#stops.filter((stop) => stop.items <= items && stop.turns < turns && !stop.orphaned)
  }

  /** Begins at the last stop that still holds: when the call before it had been written depends on what stands after it. */
  #begin(run: RunView): Stop {
    for (let stop = this.#stops.at(-1); stop; stop = this.#stops.at(-1)) {
      this.#readCalls(run, stop.items)
      const next = this.calls.find((call) => call !== undefined)
      const last = lastCall(this.before, stop.rows)
      if (!last || last.written === writtenAt(run, last.call, next)) return stop
      this.#stops.pop()
    }
    this.#readCalls(run, 0)
    return beginning
  }

  #readCalls(run: RunView, from: number): void {
    const { calls } = run.transcript
    this.calls = this.#items.slice(from).map((item) => (item.kind === 'call' ? calls.get(item.id) : undefined))
    this.written = new Array(this.calls.length)
    let next: Call | undefined
    for (let i = this.calls.length - 1; i >= 0; i--) {
      const call = this.calls[i]
      if (!call) continue
      this.written[i] = writtenAt(run, call, next)
      next = call
    }
  }
}

/** When a call had been written at the latest: when the next one of its turn began, or its turn ended. */
function writtenAt({ transcript: t }: RunView, call: Call, next: Call | undefined): number | undefined {
  return next?.turn === call.turn ? next.startedAt : t.turns[indexOfTurn(t, call.turn)]?.endedAt
}

/** Turns are numbered from 1 without gaps, but for the tail of a log and for a server that does otherwise; -1 when it is not there. */
export function indexOfTurn({ turns }: Transcript, turn: number): number {
  return turns[turn - 1]?.turn === turn ? turn - 1 : turns.findIndex((each) => each.turn === turn)
}

/** The turns as they are now; one that is as it was is the same object. */
function turnsOf({ transcript: t }: RunView, before: readonly TurnAsItWas[]): TurnAsItWas[] {
  const turns: TurnAsItWas[] = []
  for (const { agentName, endedAt, dropped, retries } of t.turns) {
    const was = before[turns.length]
    const same =
      was?.endedAt === endedAt &&
      was?.dropped === dropped &&
      was.retries === retries.length &&
      was.agentName === agentName
    turns.push(same ? was : { agentName, endedAt, dropped, retries: retries.length })
  }
  return turns
}

/** How many elements two lists begin with that are the same; where one ends the other differs. */
function firstDifference<T>(a: readonly T[], b: readonly T[]): number {
  const shorter = Math.min(a.length, b.length)
  let i = 0
  while (i < shorter && a[i] === b[i]) i++
  return i
}

function lastCall(rows: readonly Row[], before: number): CallRow | undefined {
  for (let i = before - 1; i >= 0; i--) {
    const row = rows[i]
    if (row?.kind === 'call') return row
  }
  return undefined
}
