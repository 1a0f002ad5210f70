import type { Moment, Playback } from './playback'
import type { Row } from './rows'

/** The event that made a row what it is; undefined of a row that is no part of a run's events. */
export function momentOf(row: Row): { runId: string; moment: Moment } | undefined {
  const itemKey = itemKeyOf(row)
  switch (row.kind) {
    case 'message':
    case 'text':
    case 'reasoning':
      return { runId: runIdOf(row.key), moment: { itemKey: itemKey ?? '' } }
    case 'call':
    case 'group':
    case 'turn':
      return { runId: row.run.id, moment: { itemKey: itemKey ?? '' } }
    case 'gap':
      return { runId: row.run.id, moment: { seq: row.gap.to + 1 } }
    case 'wire-error':
      return { runId: runIdOf(row.key), moment: { seq: row.error.seq } }
    case 'unknown':
      return { runId: runIdOf(row.key), moment: { seq: row.frame.seq } }
    case 'end':
      return { runId: row.run.id, moment: 'end' }
    case 'earlier':
    case 'speaker':
    case 'pending':
    case 'fault':
      return undefined
    default:
      row satisfies never
      return undefined
  }
}

/** Whether a row shows an item of the run that is played: without one, that of the event the playback stands at. */
export function isMoment(playback: Playback | undefined, row: Row, itemKey = playback?.itemKey): boolean {
  if (!playback || itemKey === undefined || !row.key.startsWith(`${playback.run.id}/`)) return false
  if (row.kind === 'group') return !row.open && row.calls.some(({ id }) => `call:${id}` === itemKey)
  return itemKeyOf(row) === itemKey
}

/** The key under which a playback knows what a row shows. */
export function itemKeyOf(row: Row): string | undefined {
  switch (row.kind) {
    case 'message':
      return `message:${row.item.id}`
    case 'text':
    case 'reasoning':
      return row.item.key
    case 'call':
      return `call:${row.call.id}`
    case 'group':
      return `call:${row.calls.at(-1)?.id}`
    case 'turn':
      return `turn:${row.turn.turn}`
    default:
      return undefined
  }
}

/** Every row's key begins with the id of its run. */
function runIdOf(key: string): string {
  return key.slice(0, key.indexOf('/'))
}
