import type { Frame, WireError } from '../protocol/events'
import type { Call, Gap, MessageItem, Part, Turn } from '../protocol/transcript'
import { ended } from '../protocol/transcript'
import type { RunView } from './threadStore'

/** A row of the thread. Its key is unique in the thread and stays with it. */
export type Row =
  | { kind: 'speaker'; key: string; name: string }
  | { kind: 'message'; key: string; item: MessageItem }
  | { kind: 'text' | 'reasoning'; key: string; item: Part }
  | CallRow
  | GroupRow
  | { kind: 'turn'; key: string; run: RunView; turn: Turn }
  | { kind: 'gap'; key: string; run: RunView; gap: Gap }
  | { kind: 'wire-error'; key: string; error: WireError }
  | { kind: 'unknown'; key: string; frame: Frame }
  | { kind: 'pending'; key: string; run: RunView }
  | { kind: 'fault'; key: string; run: RunView; fault: string }
  | { kind: 'end'; key: string; run: RunView }

export interface CallRow {
  kind: 'call'
  key: string
  run: RunView
  call: Call
  /** How many calls this one stands in. */
  depth: number
  /** Unix ms by which it had been written: the next call of its turn began, or the turn ended. Absent before that. */
  written?: number
}

/** Calls of one label that stand together and are done; they follow as rows while the group is open. */
export interface GroupRow {
  kind: 'group'
  key: string
  run: RunView
  label: string
  icon?: string
  calls: Call[]
  open: boolean
}

/** How a call is named: by its presentation, else by its tool. */
export function labelOf(call: Call): string {
  return call.presentation?.label || call.toolName || 'Unannounced call'
}

/** The rows of one run. Rows that stood in it before keep their identity. */
export function runRows(run: RunView, newest: boolean, before: readonly Row[]): Row[] {
  const known = new Map(before.map((row) => [row.key, row]))
  const keep = <R extends Row>(row: R, same: (old: Row) => boolean): Row => {
    const old = known.get(row.key)
    return old && old.kind === row.kind && same(old) ? old : row
  }
  const { transcript: t, id } = run
  const rows: Row[] = []
  const written = writtenTimes(run)
  let speaker = ''
  let turn = 0
  let footed = 0 // turns whose footer stands, or that need none
  const footTurns = (until?: number) => {
    for (let entry = t.turns[footed]; entry && entry.turn !== until; entry = t.turns[++footed]) {
      if (entry.dropped === 0 && entry.retries.length === 0) continue
      rows.push({ kind: 'turn', key: `${id}/turn:${entry.turn}`, run, turn: entry })
    }
  }
  const say = (key: string, name: string) => {
    if (name === speaker) return
    speaker = name
    rows.push(
      keep(
        { kind: 'speaker', key: `${id}/${key}/speaker`, name },
        (old) => old.kind === 'speaker' && old.name === name,
      ),
    )
  }
  const enter = (next: number) => {
    if (next === turn) return
    turn = next
    if (indexOfTurn(run, next) >= footed) footTurns(next)
  }
  for (const item of t.items) {
    const key = `${id}/${item.key}`
    if (item.kind === 'message') {
      say(item.key, item.role === 'user' ? 'You' : item.role)
      rows.push(keep({ kind: 'message', key, item }, (old) => old.kind === 'message' && old.item === item))
      continue
    }
    const call = item.kind === 'call' ? t.calls.get(item.id) : undefined
    if (item.kind === 'call' && !call) continue
    enter(item.kind === 'call' ? (call?.turn ?? turn) : item.turn)
    say(item.key, agentOf(run, turn))
    if (call) {
      const row: CallRow = { kind: 'call', key, run, call, depth: depthOf(run, call), written: written.get(item.id) }
      rows.push(
        keep(
          row,
          (old) => old.kind === 'call' && old.call === call && old.depth === row.depth && old.written === row.written,
        ),
      )
    } else if (item.kind !== 'call') {
      rows.push(keep({ kind: item.kind, key, item }, (old) => 'item' in old && old.item === item))
    }
  }
  footTurns()
  return rows.concat(closing(run, newest))
}

/** What stands under a run's items: what is missing of it, what nobody could read, and how it ended. */
function closing(run: RunView, newest: boolean): Row[] {
  const { transcript: t, id } = run
  const rows: Row[] = []
  for (const gap of t.gaps) rows.push({ kind: 'gap', key: `${id}/gap:${gap.from}`, run, gap })
  for (const [i, error] of t.wireErrors.entries()) rows.push({ kind: 'wire-error', key: `${id}/wire:${i}`, error })
  for (const [i, frame] of t.unknown.entries()) rows.push({ kind: 'unknown', key: `${id}/unknown:${i}`, frame })
  if (run.fault !== undefined) rows.push({ kind: 'fault', key: `${id}/fault`, run, fault: run.fault })
  else if (newest && t.last === 0) rows.push({ kind: 'pending', key: `${id}/pending`, run })
  if (ended(t.status) && endSays(run)) rows.push({ kind: 'end', key: `${id}/end`, run })
  return rows
}

function endSays({ transcript: t }: RunView): boolean {
  const f = t.finish
  return t.status !== 'completed' || Boolean(f && (f.truncated || f.blocked || f.iterationLimitReached || f.limit))
}

function agentOf(run: RunView, turn: number): string {
  return turnOf(run, turn)?.agentName || run.transcript.agentName || run.agentName || 'Agent'
}

/** When each call had been written at the latest. */
function writtenTimes({ transcript: t }: RunView): Map<string, number | undefined> {
  const times = new Map<string, number | undefined>()
  let next: Call | undefined
  for (const item of t.items.toReversed()) {
    const call = item.kind === 'call' ? t.calls.get(item.id) : undefined
    if (!call) continue
    times.set(call.id, next?.turn === call.turn ? next.startedAt : t.turns[call.turn - 1]?.endedAt)
    next = call
  }
  return times
}

/** Turns are numbered from 1 without gaps, but for a server that does otherwise. */
function indexOfTurn({ transcript: t }: RunView, turn: number): number {
  return t.turns[turn - 1]?.turn === turn ? turn - 1 : t.turns.findIndex((each) => each.turn === turn)
}

function turnOf(run: RunView, turn: number): Turn | undefined {
  return run.transcript.turns[indexOfTurn(run, turn)]
}

function depthOf(run: RunView, call: Call): number {
  let depth = 0
  for (let at: Call | undefined = call; at?.parentToolCallId && depth < 8; depth++) {
    at = run.transcript.calls.get(at.parentToolCallId)
  }
  return depth
}
