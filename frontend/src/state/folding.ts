import { unhidden } from './nesting'
import { type CallRow, type GroupRow, labelOf, type Row } from './rows'

const fewest = 4
/** A call that takes longer than this opens by itself, in ms. */
const long = 1000

/**
 * Which rows are open and which stand folded together. Nothing that was on the screen closes by itself: while the reader is not
 * at the tail no group begins and none grows.
 */
export class Folding {
  /** False while the reader looks at something above the tail. */
  following = true
  readonly #changed: () => void
  readonly #now: () => number
  /** What the reader opened or closed. */
  readonly #chosen = new Map<string, boolean>()
  /** Rows that opened by themselves, while they were seen. */
  readonly #opened = new Set<string>()
  /** The group each folded row is in. */
  #groups = new Map<string, string>()
  #shown: ReadonlySet<string> | undefined

  /** changed hears when the reader opened or closed something; now is the time it is in what is shown, in Unix ms. */
  constructor(changed: () => void, now: () => number = Date.now) {
    this.#changed = changed
    this.#now = now
  }

  isOpen(row: CallRow): boolean {
    const chosen = this.#chosen.get(row.key)
    if (chosen !== undefined) return chosen
    if (opensItself(row, this.#now())) this.#opened.add(row.key)
    return this.#opened.has(row.key)
  }

  set(key: string, open: boolean): void {
    this.#chosen.set(key, open)
    this.#changed()
  }

  /** Opens the groups and calls a row stands in; false when all of them are open. */
  reveal(row: CallRow): boolean {
    const closed: string[] = []
    for (let at: CallRow | undefined = row; at; at = at.parent) {
      if (at !== row && !this.isOpen(at)) closed.push(at.key)
      const group = this.#groups.get(at.key)
      if (group !== undefined && !this.#chosen.get(group)) closed.push(group)
    }
    for (const key of closed) this.#chosen.set(key, true)
    if (closed.length > 0) this.#changed()
    return closed.length > 0
  }

  /**
   * Leaves out what stands inside of a closed row. Folds four or more adjacent closed, done calls of one label, all well, into
   * a group; never the tail of a live run. shown are the rows that were there when others came above them, which fold freely:
   * the reader has not seen those.
   */
  fold(all: readonly Row[], live: boolean | undefined, shown?: readonly Row[]): Row[] {
    this.#shown = shown && new Set(shown.map((row) => row.key))
    const rows = unhidden(all, (row) => this.isOpen(row))
    const tail = live ? tailStart(rows) : rows.length
    const groups = new Map<string, string>()
    const out: Row[] = []
    for (let i = 0; i < rows.length; ) {
      const row = rows[i]
      if (!row) break
      const end = row.kind === 'call' && i < tail ? this.#stretch(rows, i, Math.max(tail, i)) : i
      if (row.kind !== 'call' || end - i < fewest) {
        out.push(row)
        i++
        continue
      }
      this.#push(out, groups, row, rows.slice(i, end))
      i = end
    }
    this.#groups = groups
    return out
  }

  #push(out: Row[], groups: Map<string, string>, first: CallRow, members: readonly Row[]): void {
    const key = `${first.key}/group`
    for (const member of members) groups.set(member.key, key)
    const open = this.#chosen.get(key) ?? false
    const calls = members.flatMap((member) => (member.kind === 'call' ? [member.call] : []))
    const { label, icon } = { label: labelOf(first.call), icon: first.call.presentation?.icon }
    const group: GroupRow = { kind: 'group', key, run: first.run, label, icon, calls, open }
    out.push(group)
    if (open) out.push(...members)
  }

  /** The end of the stretch of rows that may stand in one group with the row at from. */
  #stretch(rows: readonly Row[], from: number, limit: number): number {
    const first = rows[from]
    if (first?.kind !== 'call' || !beginsMany(rows, from) || !this.#folds(first)) return from
    const group = this.#groups.get(first.key)
    let to = from + 1
    for (; to < limit; to++) {
      const row = rows[to]
      if (row?.kind !== 'call' || row.run !== first.run || row.depth !== first.depth) break
      if (labelOf(row.call) !== labelOf(first.call) || !this.#folds(row)) break
      if (!this.#free(row) && this.#groups.get(row.key) !== group) break
    }
    return to
  }

  /** Whether it may go into another group than the one it is in. */
  #free(row: CallRow): boolean {
    return this.following || (this.#shown !== undefined && !this.#shown.has(row.key) && !this.#groups.has(row.key))
  }

  #folds(row: CallRow): boolean {
    const { key, call } = row
    // In playback a call that was folded away may be back at its work.
    if (call.state !== 'done') return false
    if (this.#groups.has(key)) return true
    if (!this.#free(row) || call.children.length > 0) return false
    return !this.#chosen.get(key) && !opensItself(row, this.#now()) && !call.presentation?.tone
  }
}

/** Whether a row opens by itself: its call waits or waited, failed, makes calls, or took over a second to be written or to run. */
function opensItself({ call, written }: CallRow, now: number): boolean {
  if (call.waitingAt !== undefined || call.state === 'failed' || call.state === 'unknown') return true
  if (call.children.length > 0 && call.state === 'running') return true
  const wrote = Math.min(written ?? now, call.runningAt ?? Infinity, call.endedAt ?? Infinity) - call.startedAt
  if (wrote > long) return true
  return (call.state === 'running' ? now - (call.runningAt ?? call.startedAt) : (call.durationMs ?? 0)) > long
}

/** Whether enough calls of one label for a group stand at from. */
function beginsMany(rows: readonly Row[], from: number): boolean {
  const last = rows[from + fewest - 1]
  const first = rows[from]
  return first?.kind === 'call' && last?.kind === 'call' && labelOf(first.call) === labelOf(last.call)
}

/** Where the calls begin that stand at the very end under one label. */
function tailStart(rows: readonly Row[]): number {
  const last = rows.at(-1)
  if (last?.kind !== 'call') return rows.length
  let at = rows.length - 1
  for (let row = rows[at - 1]; row?.kind === 'call' && labelOf(row.call) === labelOf(last.call); row = rows[at - 1])
    at--
  return at
}
