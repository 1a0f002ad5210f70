import type { Call } from '../../protocol/transcript'
import { refsOf, showsProgress } from '../../state/bodies'
import { labelOf, type Row, runRows } from '../../state/rows'
import type { RunView } from '../../state/threadStore'
import { holds, pattern } from './texts'

/** A row in which something was found. */
export interface Match {
  row: Row
  runId: string
  /** Its place among all rows of the thread, the folded ones too. */
  place: number
  /** It is not in the line of a call but in what opens under it. */
  inside: boolean
}

/**
 * The rows of runs that hold a text, in their order: messages, and of calls label, details, arguments, result and progress. Of
 * what was not fetched, held has the hashes of that which holds it.
 */
export function search(
  runs: readonly RunView[],
  query: string,
  held: ReadonlySet<string> = new Set(),
): { matches: Match[]; places: Map<string, number> } {
  const matches: Match[] = []
  const places = new Map<string, number>()
  const wanted = pattern(query)
  for (const run of runs) {
    for (const row of runRows(run, false, [])) {
      const place = places.size
      places.set(row.key, place)
      if (!wanted) continue
      const line = lineTexts(row).some((text) => holds(text, wanted))
      if (line || innerTexts(row).some((text) => holds(text, wanted)) || refers(row, held)) {
        matches.push({ row, runId: run.id, place, inside: !line })
      }
    }
  }
  return { matches, places }
}

/** Whether a run refers to values that have to be searched where they are. */
export function hasRefs(run: RunView): boolean {
  for (const call of run.transcript.calls.values()) if (refsOf(call).length > 0) return true
  return false
}

function refers(row: Row, held: ReadonlySet<string>): boolean {
  return held.size > 0 && row.kind === 'call' && refsOf(row.call).some(({ hash }) => held.has(hash))
}

type Text = string | undefined

/** What stands in the row whether it is open or not. */
function lineTexts(row: Row): Text[] {
  switch (row.kind) {
    case 'message':
    case 'text':
      return [row.item.text]
    case 'call':
      return [labelOf(row.call), row.call.presentation?.detail, row.call.presentation?.summary]
    case 'wire-error':
      return [row.error.message, row.error.raw]
    case 'unknown':
      return [row.frame.raw]
    case 'fault':
      return [row.fault]
    case 'end': {
      const { error, finish } = row.run.transcript
      return [error?.message, error?.code, finish?.structuredText]
    }
    default:
      return []
  }
}

/** What is seen once the row, or what it leads to, is open. */
function innerTexts(row: Row): Text[] {
  switch (row.kind) {
    case 'reasoning':
      return [row.item.text]
    case 'call':
      return callTexts(row.call)
    case 'turn':
      return row.run.transcript.dropped
        .filter((call) => call.turn === row.turn.turn)
        .flatMap((call) => [labelOf(call), ...callTexts(call)])
    default:
      return []
  }
}

function callTexts(call: Call): Text[] {
  return [
    call.toolName,
    call.argumentsText,
    call.proposedText,
    ...progressTexts(call),
    call.resultText,
    call.detailsText,
    call.error,
    call.errorCode,
    call.reason,
    call.by,
  ]
}

function progressTexts(call: Call): Text[] {
  return showsProgress(call) ? [call.update?.contentText, call.update?.detailsText] : []
}
