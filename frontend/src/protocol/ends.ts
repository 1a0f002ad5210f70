import { addCall, applyEarly, drop, removeCall } from './calls'
import { type Finish, type Frame, type Status, time } from './events'
import { closePart } from './parts'
import { type Call, ended, type Item, type Transcript } from './transcript'

/** Why a call stands unknown or cancelled that an ended run left without a result. */
export const endedBefore = 'the run ended before its result'

export function finish(t: Transcript, f: Frame, e: Finish): void {
  t.finish = e
  t.usage = e.usage ?? t.usage
  t.threadId = e.threadId ?? t.threadId
  const status = e.status ?? (t.own.asked ? 'paused' : 'completed')
  if (ended(status)) {
    end(t, f, status)
    return
  }
  closePart(t)
  t.status = status
}

/** Settles what an ended run left open: nothing spins after it. */
export function end(t: Transcript, f: Frame, status: Status): void {
  closePart(t)
  for (const frames of [...t.own.early.values()]) orphan(t, frames)
  t.status = status
  t.endedAt = time(f)
  const unsettled = new Set<string>()
  for (const call of t.calls.values()) {
    if (!call.own.settled && settle(t, f, call)) unsettled.add(call.id)
  }
  if (unsettled.size > 0) t.items = t.items.filter((item) => item.kind !== 'call' || !unsettled.has(item.id))
}

/** Shows something that came for a call nobody announced. */
function orphan(t: Transcript, frames: Frame[]): void {
  const first = frames[0]
  if (first === undefined) return
  const e = first.event
  const id = 'toolCallId' in e ? e.toolCallId : 'id' in e ? e.id : ''
  const call = addCall(t, first, id, '', undefined)
  call.orphan = true
  applyEarly(t, call)
}

/** Reports true when the call is dropped and its item has to go. */
function settle(t: Transcript, f: Frame, call: Call): boolean {
  t.own.watch?.changes(call)
  switch (call.state) {
    case 'input':
      drop(t, f, call, 'incomplete')
      return true
    case 'proposed':
      drop(t, f, call, 'discarded')
      return true
    case 'running':
      call.state = 'unknown'
      break
    case 'waiting':
    case 'approved':
      call.state = 'cancelled'
      break
    default:
      return false
  }
  call.reason = call.reason ?? endedBefore
  call.endedAt = time(f)
  call.version++
  return false
}

/** A well-behaved server has taken back everything of a failed try before it says so; of another one the rest goes here. */
export function takeBack(t: Transcript, f: Frame, turn: number): void {
  closePart(t)
  let first = t.items.length
  while (first > 0 && turnOf(t, t.items[first - 1]) === turn) first--
  t.own.watch?.cuts(t.items)
  for (const item of t.items.splice(first)) {
    if (item.kind === 'text' || item.kind === 'reasoning') {
      t.droppedParts.push(item)
      continue
    }
    const call = item.kind === 'call' ? t.calls.get(item.id) : undefined
    if (call !== undefined && (call.state === 'input' || call.state === 'proposed')) drop(t, f, call, 'incomplete')
    else t.items.push(item)
  }
}

/** The same for an agent that works inside a call. It shows no parts. */
export function takeBackInside(t: Transcript, f: Frame, parentToolCallId: string, turn: number): void {
  for (const id of t.calls.get(parentToolCallId)?.children ?? []) {
    const call = t.calls.get(id)
    if (call?.turn === turn && (call.state === 'input' || call.state === 'proposed'))
      removeCall(t, f, call, 'incomplete')
  }
}

function turnOf(t: Transcript, item: Item | undefined): number | undefined {
  if (item === undefined || item.kind === 'message') return undefined
  return item.kind === 'call' ? t.calls.get(item.id)?.turn : item.turn
}
