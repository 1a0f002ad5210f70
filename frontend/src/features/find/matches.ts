import type { Call } from '../../protocol/transcript'
import { labelOf, type Row, runRows } from '../../state/rows'
import type { RunView } from '../../state/threadStore'

/** A row in which something was found. */
export interface Match {
  row: Row
  runId: string
  /** Its place among all rows of the thread, the folded ones too. */
  place: number
  /** It is not in the line of a call but in what opens under it. */
  inside: boolean
}

/** What finds a text wherever it stands, in capitals or not; undefined of an empty one. */
export function pattern(query: string): RegExp | undefined {
  return query ? new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu') : undefined
}

/** The rows of runs that hold a text, in their order: messages, and of calls label, details, arguments, result and progress. */
export function search(runs: readonly RunView[], query: string): { matches: Match[]; places: Map<string, number> } {
  const matches: Match[] = []
  const places = new Map<string, number>()
  const wanted = pattern(query)
  for (const run of runs) {
    for (const row of runRows(run, false, [])) {
      const place = places.size
      places.set(row.key, place)
      if (!wanted) continue
      const line = lineTexts(row).some((text) => holds(text, wanted))
      if (line || innerTexts(row).some((text) => holds(text, wanted))) {
        matches.push({ row, runId: run.id, place, inside: !line })
      }
    }
  }
  return { matches, places }
}

type Text = string | undefined

function holds(text: Text, wanted: RegExp): boolean {
  if (!text) return false
  const shown = text.includes(';base64,') ? text.replace(/;base64,[A-Za-z0-9+/=]+/g, ';base64,') : text
  if (shown.search(wanted) >= 0) return true
  return shown.includes('\\') && unescaped(shown).search(wanted) >= 0
}

const signs: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** JSON text with its escapes as the characters they stand for, as they are drawn. */
function unescaped(json: string): string {
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: Text, sign: string) =>
    code === undefined ? (signs[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

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
      const { error } = row.run.transcript
      return [error?.message, error?.code]
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
    call.update?.contentText,
    call.update?.detailsText,
    call.resultText,
    call.detailsText,
    call.error,
    call.errorCode,
    call.reason,
    call.by,
  ]
}
