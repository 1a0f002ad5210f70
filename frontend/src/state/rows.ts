import type { Finish, Frame, WireError } from '../protocol/events'
import { pretty } from '../protocol/json'
import type { Call, Gap, Item, MessageItem, Part, Transcript, Turn } from '../protocol/transcript'
import { ended } from '../protocol/transcript'
import { isByHand } from '../transport/attached'
import { nest } from './nesting'
import type { RunView } from './threadStore'
import { indexOfTurn, Trail } from './trail'

/** A row of the thread. Its key is unique in the thread and stays with it. */
export type Row =
  | EarlierRow
  | SpeakerRow
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

/** Who says what follows. */
export interface SpeakerRow {
  kind: 'speaker'
  key: string
  name: string
  /** An agent that another one handed over to, a schedule whose message it is, or the part in which a program put it in. */
  by?: 'handoff' | 'schedule' | 'added'
}

/** Stands at the beginning in place of what was not read yet. */
export interface EarlierRow {
  kind: 'earlier'
  key: string
  /** Calls are left out below it that may fold together with some above. */
  cut: boolean
  /** It could not be read. */
  failed: boolean
}

export interface CallRow {
  kind: 'call'
  key: string
  run: RunView
  call: Call
  /** The row of the call that made this one, which stands above it. */
  parent?: CallRow
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
export function labelOf(call: Pick<Call, 'presentation' | 'toolName'>): string {
  return call.presentation?.label || call.toolName || 'Unannounced call'
}

/** Whether a message was sent by a schedule, whose messages have ids of their own. */
export function isScheduled({ id }: MessageItem): boolean {
  return id.startsWith('msg_sch_')
}

/** Who sent a message, in a word. */
export function speakerOf(item: MessageItem): string {
  if (isScheduled(item)) return 'Schedule'
  return item.role === 'user' ? 'You' : item.role
}

/** How each list of rows was made, so that the next one of its run need not be made from the beginning. */
const trails = new WeakMap<readonly Row[], Trail>()

/** The rows of one run. Rows that stood in it before keep their identity. */
export function runRows(run: RunView, newest: boolean, before: readonly Row[]): Row[] {
  const { transcript: t, id } = run
  const last = trails.get(before)
  const trail = new Trail(run, last)
  const { from, calls, written } = trail
  const kept = new Kept(id, last ? trail.before : before, from.rows)
  const rows = trail.before.slice(0, from.rows)
  let { speaker, turn, footed, turns, nested, orphaned } = from
  const footTurns = (until?: number) => {
    for (let entry = t.turns[footed]; entry && entry.turn !== until; entry = t.turns[++footed]) {
      if (entry.dropped === 0 && entry.retries.length === 0 && !entry.cut) continue
      rows.push({ kind: 'turn', key: `${id}/turn:${entry.turn}`, run, turn: entry })
    }
  }
  const say = (item: Item, name: string, by: () => SpeakerRow['by']) => {
    if (name === speaker) return
    speaker = name
    rows.push(kept.speaker(item, name, by()))
  }
  const enter = (next: number) => {
    if (next === turn) return
    turn = next
    const index = indexOfTurn(t, next)
    if (index >= footed) footTurns(next)
    turns = Math.max(turns, index, footed - 1, next - 1)
  }
  for (let i = from.items; i < t.items.length; i++) {
    const item = t.items[i]
    if (!item) break
    trail.pass(() => ({ items: i, rows: rows.length, speaker, turn, footed, turns, nested, orphaned }), i)
    if (item.kind === 'message') {
      say(item, speakerOf(item), () => (isScheduled(item) ? 'schedule' : undefined))
      rows.push(kept.item(item))
      continue
    }
    const call = calls[i - from.items]
    if (item.kind === 'call' && !call) continue
    enter(call?.turn ?? (item.kind === 'call' ? turn : item.turn))
    const parentId = call?.parentToolCallId
    const inside = parentId !== undefined && t.calls.has(parentId)
    if (!inside) say(item, agentOf(run, turn), () => (handedOver(run, turnOf(run, turn)) ? 'handoff' : undefined))
    if (call) {
      nested ||= parentId !== undefined
      orphaned ||= parentId !== undefined && !inside
      rows.push(kept.call(run, item, call, depthOf(run, call), written[i - from.items]))
    } else if (item.kind !== 'call') rows.push(kept.item(item))
  }
  trail.end(rows.slice())
  footTurns()
  const drawn = answerAsJson(t)
  const body = nested ? nest(rows) : rows
  const own = (drawn ? body.filter((row) => row.kind !== 'text' || row.item !== drawn) : body).concat(
    closing(run, newest),
  )
  const all = run.added ? [...run.added.before, ...own, ...run.added.after] : own
  trails.set(all, trail)
  return all
}

/**
 * The rows of before, each found again by what it shows. They are asked for in the order they stand in, but for what came or
 * went, so the next one is nearly always the one that is wanted.
 */
class Kept {
  readonly #runId: string
  readonly #before: readonly Row[]
  #next: number
  #places: Map<string, number> | undefined

  /** next is the place in before of the first that is asked for. */
  constructor(runId: string, before: readonly Row[], next: number) {
    this.#runId = runId
    this.#before = before
    this.#next = next
  }

  speaker(item: Item, name: string, by: SpeakerRow['by']): Row {
    const key = `${this.#key(item)}/speaker`
    const same = (old: Row | undefined): old is Row =>
      old?.kind === 'speaker' && old.key === key && old.name === name && old.by === by
    const next = this.#peek()
    if (same(next)) return this.#take(next)
    const old = this.#find(key)
    return same(old) ? old : { kind: 'speaker', key, name, by }
  }

  item(item: MessageItem | Part): Row {
    const same = (old: Row | undefined): old is Row => old !== undefined && 'item' in old && old.item === item
    const next = this.#peek()
    if (same(next)) return this.#take(next)
    const key = this.#key(item)
    const old = this.#find(key)
    if (same(old)) return old
    return item.kind === 'message' ? { kind: 'message', key, item } : { kind: item.kind, key, item }
  }

  call(run: RunView, item: Item, call: Call, depth: number, written: number | undefined): Row {
    const same = (old: Row | undefined): old is Row =>
      old?.kind === 'call' && old.call === call && old.depth === depth && old.written === written
    const next = this.#peek()
    if (same(next)) return this.#take(next)
    const key = this.#key(item)
    const old = this.#find(key)
    return same(old) ? old : { kind: 'call', key, run, call, depth, written }
  }

  #key(item: Item): string {
    return `${this.#runId}/${item.key}`
  }

  #peek(): Row | undefined {
    while (this.#before[this.#next]?.kind === 'turn') this.#next++
    return this.#before[this.#next]
  }

  #take(row: Row): Row {
    this.#next++
    return row
  }

  #find(key: string): Row | undefined {
    if (this.#next >= this.#before.length) return undefined
    this.#places ??= new Map(this.#before.map((row, i) => [row.key, i]))
    const place = this.#places.get(key)
    if (place === undefined) return undefined
    this.#next = place + 1
    return this.#before[place]
  }
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
  return t.status !== 'completed' || Boolean(f && (f.structuredText || endIsOdd(f)))
}

/** Whether a run that completed did not end as it should. */
export function endIsOdd(f: Finish): boolean {
  return Boolean(f.truncated || f.blocked || f.structuredError || f.iterationLimitReached || f.limit)
}

/**
 * The part of the answer that is the run's structured output and nothing else. The end row draws that as what it is, so that the
 * part has no row: the same text would stand there twice.
 */
export function answerAsJson({ finish, items }: Transcript): Part | undefined {
  const json = finish?.structuredText
  if (json === undefined) return undefined
  const last = items.findLast((item) => item.kind === 'text')
  return last?.kind === 'text' && pretty(unfenced(last.text)) === pretty(json) ? last : undefined
}

/** A text without the Markdown fence models like to put around JSON. */
function unfenced(text: string): string {
  return /^```[^\n]*\n([\s\S]*)```$/.exec(text.trim())?.[1]?.trim() ?? text.trim()
}

function agentOf(run: RunView, turn: number): string {
  const name = turnOf(run, turn)?.agentName || run.transcript.agentName || run.agentName || 'Agent'
  return isByHand(name) ? 'Tried by hand' : name
}

/** Whether a turn's agent is another than that of the turn before. Turns of agents that work inside of a call do not count. */
function handedOver({ transcript: { turns } }: RunView, of: Turn | undefined): boolean {
  if (!of?.agentName || of.parentToolCallId !== undefined) return false
  const before = turns.findLast((each) => each.parentToolCallId === undefined && each.turn < of.turn)
  return before?.agentName !== undefined && before.agentName !== of.agentName
}

function turnOf(run: RunView, turn: number): Turn | undefined {
  return run.transcript.turns[indexOfTurn(run.transcript, turn)]
}

function depthOf(run: RunView, call: Call): number {
  let depth = 0
  for (let at: Call | undefined = call; at?.parentToolCallId && depth < 8; depth++) {
    at = run.transcript.calls.get(at.parentToolCallId)
  }
  return depth
}
