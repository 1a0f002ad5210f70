import type { IconNode } from 'lucide'
import Ban from 'lucide/dist/esm/icons/ban.mjs'
import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleQuestionMark from 'lucide/dist/esm/icons/circle-question-mark.mjs'
import CircleStop from 'lucide/dist/esm/icons/circle-stop.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import Clock from 'lucide/dist/esm/icons/clock.mjs'
import PenLine from 'lucide/dist/esm/icons/pen-line.mjs'
import ShieldQuestionMark from 'lucide/dist/esm/icons/shield-question-mark.mjs'
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import type { CallState } from '../../protocol/events'
import type { Call } from '../../protocol/transcript'

/** How a call's state is said and drawn. The ring of a running call is no icon. */
export interface CallStatus {
  word: string
  tone: string
  icon?: IconNode
}

/** The status of a call: a word beside every colour. */
export function statusOf(call: Call): CallStatus {
  const status = statusOfState(call.state)
  switch (call.state) {
    case 'waiting':
      return waitsInside(call) ? { word: 'waits for a call in it', tone: 'text-wait', icon: Clock } : status
    case 'done':
      return call.presentation?.tone === 'warning'
        ? { word: call.presentation.summary || 'done, with a warning', tone: 'text-wait', icon: TriangleAlert }
        : { ...status, word: call.presentation?.summary || status.word }
    case 'failed':
      return timedOut(call) ? { ...status, word: 'timed out' } : status
    case 'cancelled':
      return call.reason === stillAtWork ? { ...status, word: stillAtWork } : status
    default:
      return status
  }
}

/** The status of a call of which only the state is known. */
export function statusOfState(state: CallState): CallStatus {
  switch (state) {
    case 'input':
      return { word: 'writing', tone: 'text-stream', icon: PenLine }
    case 'proposed':
      return { word: 'queued', tone: 'text-muted', icon: Clock }
    case 'waiting':
      return { word: 'needs approval', tone: 'text-wait', icon: ShieldQuestionMark }
    case 'approved':
      return { word: 'approved', tone: 'text-wait', icon: Check }
    case 'running':
      return { word: 'running', tone: 'text-run' }
    case 'done':
      return { word: 'done', tone: 'text-ok', icon: Check }
    case 'failed':
      return { word: 'failed', tone: 'text-err', icon: CircleX }
    case 'denied':
      return { word: 'denied', tone: 'text-deny', icon: Ban }
    case 'expired':
      return { word: 'expired', tone: 'text-deny', icon: Ban }
    case 'cancelled':
      return { word: 'cancelled', tone: 'text-muted', icon: CircleStop }
    case 'unknown':
      return { word: 'unknown', tone: 'text-wait', icon: CircleQuestionMark }
    case 'dropped':
      return { word: 'dropped', tone: 'text-muted', icon: CircleStop }
    default:
      state satisfies never
      return { word: state, tone: 'text-muted' }
  }
}

/** Whether nobody is asked about a waiting call itself: a call of the agent that works in it waits. */
export function waitsInside(call: Call): boolean {
  return call.state === 'waiting' && call.approval === undefined && call.children.length > 0
}

/** The reason of a cancelled call whose tool has not returned. */
const stillAtWork = 'still at work'

function timedOut(call: Call): boolean {
  return call.errorCode === 'TOOL_TIMEOUT' || call.errorCode === 'SANDBOX_TIMEOUT'
}

/** Who decided, for people: the one at this window is "you". */
export function whoDecided(by: string | undefined): string {
  if (!by || by === 'user') return 'you'
  return by.replace(/^(rule|middleware):/, '$1 ')
}
