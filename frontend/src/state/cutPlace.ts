import type { Cut } from '../protocol/events'
import type { Turn } from '../protocol/transcript'
import type { Row } from './rows'
import type { RunView } from './threadStore'

/** Where the newest request of a thread cut the history: what stands above a row was not sent. */
export interface CutPlace {
  /** The first row of what was sent. */
  key: string
  /** The first call of what was sent, where it begins with one. */
  callId?: string
  /** The row is a closed group, and the cut is between its calls. */
  inside: boolean
  /** The run whose request it is, and its turn that told. */
  run: RunView
  turn: number
  cut: Cut
  /** The message the newest run began with was sent, though it stands above the place. */
  kept: boolean
}

/**
 * The place where the newest request of the last of some runs cut the history, among the thread's rows. It is undefined when
 * nothing was left out, or when what was sent first has no row. Agents that work inside a call read a history of their own.
 */
export function cutPlace(runs: readonly RunView[], rows: readonly Row[]): CutPlace | undefined {
  const run = runs.at(-1)
  const told = run && newestCut(run.transcript.turns)
  const id = told?.cut.beforeMessageId
  if (!run || !told || id === undefined) return undefined
  const { turn, cut } = told
  const message = rows.findIndex((row) => row.kind === 'message' && row.item.id === id)
  if (message >= 0) {
    const first = rows[message - 1]?.kind === 'speaker' ? message - 1 : message
    return { key: rows[first]?.key ?? '', inside: false, run, turn, cut, kept: false }
  }
  const of = runs.find((each) => id.startsWith(`${each.id}_`))
  const from = of && Number(id.slice(of.id.length + 1))
  if (!of || !from) return undefined
  const begins = rows.findIndex((row) => row.key.startsWith(`${of.id}/`) && lastTurnOf(row) >= from)
  const row = rows[begins]
  if (!row) return undefined
  const call = row.kind === 'group' ? row.calls.find((each) => each.turn >= from) : row.kind === 'call' && row.call
  const inside = row.kind === 'group' && row.calls[0] !== call
  const above = rows[begins - 1]
  const first = above?.kind === 'speaker' && !inside ? above : row
  return { key: first.key, callId: call ? call.id : undefined, inside, run, turn, cut, kept: true }
}

/** What the newest of the turns of the run's own agent left out. A cut is told when it changes, and an agent tells its own. */
function newestCut(turns: readonly Turn[]): { turn: number; cut: Cut } | undefined {
  const own = turns.filter((each) => each.parentToolCallId === undefined)
  const newest = own.at(-1)
  const others = own.findLastIndex((each) => each.agentName !== newest?.agentName)
  const told = own.findLast((each, i) => i > others && each.cut !== undefined)
  return told?.cut && { turn: told.turn, cut: told.cut }
}

/** The last turn of the run's own agent that a row shows something of, but for what was taken back; 0 of any other row. */
function lastTurnOf(row: Row): number {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
      return row.item.turn
    case 'call':
      return row.call.parentToolCallId === undefined ? row.call.turn : 0
    case 'group': {
      const last = row.calls.at(-1)
      return row.open || last?.parentToolCallId !== undefined ? 0 : (last?.turn ?? 0)
    }
    default:
      return 0
  }
}

/** Whether two places would be drawn the same. */
export function samePlace(a: CutPlace | undefined, b: CutPlace | undefined): boolean {
  if (!a || !b) return a === b
  return (
    a.key === b.key &&
    a.callId === b.callId &&
    a.inside === b.inside &&
    a.run === b.run &&
    a.turn === b.turn &&
    a.cut === b.cut
  )
}
