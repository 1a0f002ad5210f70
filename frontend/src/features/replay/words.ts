import { type CallState, isWireError } from '../../protocol/events'
import { escapeInvisible } from '../../protocol/text'
import type { Transcript } from '../../protocol/transcript'
import type { Mark, MarkKind } from '../../state/marks'
import type { Playback, PlaybackState, Speed } from '../../state/playback'
import { labelOf } from '../../state/rows'
import { count } from '../../ui/format'

const states: Record<CallState, string> = {
  input: 'writing',
  proposed: 'queued',
  waiting: 'waiting',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
  dropped: 'dropped',
}

const marks: Record<MarkKind, string> = { call: 'begins', approval: 'asks', failure: 'failed', drop: 'dropped' }

/** A kind of mark in the legend, one and many. */
export const kindWords: Record<MarkKind, [one: string, many: string]> = {
  call: ['call', 'calls'],
  approval: ['approval', 'approvals'],
  failure: ['failure', 'failures'],
  drop: ['drop', 'drops'],
}

/** "event 8,412 of 11,690". */
export function placeWords({ seq, lastSeq }: PlaybackState): string {
  return `event ${count(seq)} of ${count(lastSeq)}`
}

export function markWords({ kind, label }: Mark): string {
  return label ? `${escapeInvisible(label)} ${marks[kind]}` : 'The run failed'
}

/** What the event a playback stands at is, in a few words: "Deploy waiting". */
export function eventWords(playback: Playback): string {
  const { event: read } = playback
  if (!read) return ''
  if (isWireError(read)) return 'not an event'
  const e = read.event
  const t = playback.run.transcript
  switch (e.type) {
    case 'start':
      return e.runId ? 'the run starts' : 'the run goes on'
    case 'message':
      return e.role === 'user' ? 'your message' : `a message of the ${e.role}`
    case 'turn':
      return e.phase === 'retry' ? `turn ${e.turn} is tried again` : `turn ${e.turn} ${e.phase}s`
    case 'text-start':
    case 'text-delta':
      return 'the agent writes'
    case 'text-end':
      return e.dropped ? 'a text is taken back' : 'a text ends'
    case 'reasoning-start':
    case 'reasoning-delta':
      return 'the agent reasons'
    case 'reasoning-end':
      return e.dropped ? 'reasoning is taken back' : 'reasoning ends'
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call-end':
      return callWords(t, e.id)
    case 'tool-update':
    case 'call-state':
    case 'tool-result':
      return callWords(t, e.toolCallId)
    case 'approval-required':
      return e.approvals.map((approval) => callWords(t, approval.toolCallId)).join(', ')
    case 'error':
      return 'the run failed'
    case 'finish':
      return `the run is ${t.status}`
    case 'unknown':
      return `an event of a kind not known here: ${escapeInvisible(e.kind)}`
    default:
      e satisfies never
      return ''
  }
}

function callWords(t: Transcript, id: string): string {
  const call = t.calls.get(id) ?? t.dropped.findLast((each) => each.id === id)
  return call ? `${escapeInvisible(labelOf(call))} ${states[call.state]}` : 'a call not announced yet'
}

export function speedLabel(speed: Speed): string {
  return speed === 'fast' ? 'As fast as it can' : `${speed}×`
}
