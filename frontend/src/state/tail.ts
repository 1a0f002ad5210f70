import { decode, isWireError } from '../protocol/events'
import type { LogLine } from '../protocol/replay'
import { apply, newTranscript, type Transcript } from '../protocol/transcript'
import { type CallRow, labelOf, type Row } from './rows'
import type { RunView } from './threadStore'

/**
 * A run as its last events tell it, from the first turn that begins in them. It is undefined when none does, or when something
 * in them hangs on what stands before: then they do not tell how it looks.
 */
export function tailOf(run: RunView, lines: readonly LogLine[]): RunView | undefined {
  const transcript = newTranscript()
  let begun = false
  for (const { seq, raw } of lines) {
    const frame = decode(raw, seq)
    if (!begun) {
      if (isWireError(frame) || frame.event.type !== 'turn' || frame.event.phase !== 'start') continue
      begun = true
      transcript.last = frame.seq - 1
    }
    if (isWireError(frame)) return undefined
    apply(transcript, frame)
  }
  if (!begun || !standsAlone(transcript)) return undefined
  const { id, agentName, createdAt, status } = run
  return { id, agentName, createdAt, status, transcript }
}

/** Nothing came for a part or a call that began before, no call was made by one, and nothing is missing or not understood. */
function standsAlone(t: Transcript): boolean {
  if (t.gaps.length + t.late.length + t.unknown.length + t.own.early.size > 0) return false
  for (const { orphan, parentToolCallId } of t.calls.values()) {
    if (orphan || (parentToolCallId !== undefined && !t.calls.has(parentToolCallId))) return false
  }
  return true
}

/**
 * Of the rows of a tail those that look the same once all is read: without the calls at its beginning, which may fold together
 * with calls before them.
 */
export function settledRows(rows: readonly Row[]): Row[] {
  const from = rows[0]?.kind === 'speaker' ? 1 : 0
  const first = rows[from]
  if (first?.kind !== 'call') return rows.slice(from)
  const end = rows.findIndex((row, i) => i > from && !(row.kind === 'call' && mayFold(row, first)))
  return end < 0 ? [] : rows.slice(end)
}

function mayFold(row: CallRow, first: CallRow): boolean {
  return row.depth > 0 || labelOf(row.call) === labelOf(first.call)
}
