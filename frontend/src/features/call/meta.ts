import type { Call } from '../../protocol/transcript'
import { duration, elapsed, size, timeOfDay } from '../../ui/format'
import { whoDecided } from './status'

/** The size or time that stands beside a call's status. now is in Unix ms, and read only while something lasts. */
export function metaOf(call: Call, now: number): string {
  switch (call.state) {
    case 'input':
      return call.proposedText ? size(call.proposedText.length) : ''
    case 'waiting':
      return elapsed(now - (call.waitingAt ?? call.startedAt))
    case 'approved':
      return `by ${whoDecided(call.by)}`
    case 'running':
      return elapsed(now - (call.runningAt ?? call.startedAt))
    case 'denied':
    case 'expired':
      return decided(call)
    case 'done':
    case 'failed':
    case 'cancelled':
      return lasted(call)
    case 'proposed':
    case 'unknown':
    case 'dropped':
      return ''
    default:
      call.state satisfies never
      return ''
  }
}

function decided(call: Call): string {
  const at = call.decidedAt ?? call.endedAt
  const who = call.state === 'expired' && !call.by ? '' : whoDecided(call.by)
  return [who, at && timeOfDay(at)].filter(Boolean).join(', ')
}

function lasted(call: Call): string {
  if (call.durationMs !== undefined) return duration(call.durationMs)
  return call.runningAt !== undefined && call.endedAt !== undefined ? duration(call.endedAt - call.runningAt) : ''
}

/** Whether a call's meta goes on with the clock. */
export function ticks(call: Call): boolean {
  return call.state === 'input' || call.state === 'running' || call.state === 'waiting'
}
