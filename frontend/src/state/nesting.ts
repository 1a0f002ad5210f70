import type { CallRow, Row } from './rows'

/** A run's rows with each call's own calls right below it, and theirs below them. Calls in a ring stand where they came. */
export function nest(rows: Row[]): Row[] {
  const nested = rows.filter((row) => row.kind === 'call' && row.call.parentToolCallId !== undefined)
  if (nested.length === 0) return rows
  const byId = new Map(rows.flatMap((row) => (row.kind === 'call' ? [[row.call.id, row] as const] : [])))
  const below = new Map<CallRow, CallRow[]>()
  for (const row of byId.values()) {
    row.parent = parentOf(row, byId)
    if (!row.parent) continue
    const siblings = below.get(row.parent)
    if (siblings) siblings.push(row)
    else below.set(row.parent, [row])
  }
  const out: Row[] = []
  const push = (row: Row) => {
    out.push(row)
    if (row.kind === 'call') for (const child of below.get(row) ?? []) push(child)
  }
  for (const row of rows) if (row.kind !== 'call' || !row.parent) push(row)
  return out
}

/** The row of the call that made a row's, unless calls lead from it back in a ring. */
function parentOf(row: CallRow, byId: ReadonlyMap<string, CallRow>): CallRow | undefined {
  const made = (of: CallRow) => byId.get(of.call.parentToolCallId ?? '')
  const met = new Set<CallRow>()
  for (let at: CallRow | undefined = row; at; at = made(at)) {
    if (met.has(at)) return undefined
    met.add(at)
  }
  return made(row)
}

/** The rows that are not inside of a closed one. */
export function unhidden(rows: readonly Row[], isOpen: (row: CallRow) => boolean): readonly Row[] {
  const hides = new Map<CallRow, boolean>()
  const hidden = (row: CallRow): boolean => {
    const { parent } = row
    if (!parent) return false
    const known = hides.get(parent)
    if (known !== undefined) return known
    const now = hidden(parent) || !isOpen(parent)
    hides.set(parent, now)
    return now
  }
  return rows.some((row) => row.kind === 'call' && row.parent)
    ? rows.filter((row) => row.kind !== 'call' || !hidden(row))
    : rows
}
