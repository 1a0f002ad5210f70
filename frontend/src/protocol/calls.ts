import {
  type ApprovalRequired,
  type CallStateEvent,
  type DropReason,
  type Frame,
  type ToolCallStart,
  type ToolResult,
  type ToolUpdate,
  time,
} from './events'
import { closePart, key, pieceCame } from './parts'
import type { Call, Transcript } from './transcript'

export function callStart(t: Transcript, f: Frame, e: ToolCallStart): void {
  if (t.calls.has(e.id)) return
  t.own.gone.delete(e.id)
  const call = addCall(t, f, e.id, e.toolName, e.parentToolCallId)
  call.presentation = e.presentation
  call.providerCallId = e.providerCallId
  pieceCame(t, f, call.turn)
  applyEarly(t, call)
}

export function addCall(
  t: Transcript,
  f: Frame,
  id: string,
  toolName: string,
  parentToolCallId: string | undefined,
): Call {
  if (parentToolCallId === undefined) closePart(t)
  const turn = (parentToolCallId === undefined ? undefined : t.own.inside.get(parentToolCallId)) ?? t.own.turn
  const call: Call = {
    id,
    toolName,
    parentToolCallId,
    children: [],
    turn,
    agentName: t.own.turns.get(turn)?.agentName ?? (t.agentName || undefined),
    state: 'input',
    proposedText: '',
    argumentsText: '',
    argumentsReplaced: false,
    updateCount: 0,
    orphan: false,
    startedAt: f.at,
    version: 0,
    own: { writing: true, settled: false, seq: t.last },
  }
  t.calls.set(id, call)
  t.items.push({ kind: 'call', key: key(t, 'call', id), id })
  const parent = parentOf(t, call)
  if (parent !== undefined && parent !== call) {
    t.own.watch?.changes(parent)
    parent.children.push(id)
    parent.version++
  }
  return call
}

export function applyEarly(t: Transcript, call: Call): void {
  const early = t.own.early.get(call.id)
  if (early === undefined) return
  t.own.early.delete(call.id)
  for (const f of early) forCall(t, f, call.id)
}

/** Gives an event to the call it names: one not announced yet finds it waiting when it is, one that is gone leaves it unshown. */
export function forCall(t: Transcript, f: Frame, id: string): void {
  const call = t.calls.get(id)
  if (call !== undefined) {
    t.own.watch?.changes(call)
    if (callEvent(t, f, call)) call.version++
    else t.late.push(f)
    return
  }
  const gone = t.own.gone.get(id)
  if (gone === undefined) {
    const early = t.own.early.get(id)
    if (early === undefined) {
      t.own.early.set(id, [f])
      return
    }
    t.own.watch?.changes(early)
    early.push(f)
    return
  }
  t.own.watch?.changes(gone)
  if (f.event.type === 'tool-result' && f.event.dropped) gone.dropReason = f.event.reason ?? gone.dropReason
  else t.late.push(f)
}

/** Reports false for what comes too late to be shown. */
function callEvent(t: Transcript, f: Frame, call: Call): boolean {
  const e = f.event
  switch (e.type) {
    case 'tool-call-delta':
      if (!call.own.writing) return false
      call.proposedText += e.argsTextDelta
      if (!call.argumentsReplaced) call.argumentsText = call.proposedText
      return true
    case 'tool-call-end':
      if (!call.own.writing) return false
      call.own.writing = false
      if (e.dropped && !call.own.settled) removeCall(t, f, call, 'incomplete')
      else if (call.state === 'input') call.state = 'proposed'
      return true
    case 'tool-update':
      if (call.own.settled || call.state === 'cancelled') return false
      toolUpdate(call, e)
      return true
    case 'call-state':
      if (call.own.settled) return false
      callState(f, call, e)
      return true
    case 'tool-result':
      if (call.own.settled) return false
      if (e.dropped) removeCall(t, f, call, e.reason ?? 'discarded')
      else result(f, call, e)
      return true
    default:
      return false
  }
}

export function removeCall(t: Transcript, f: Frame, call: Call, reason: DropReason): void {
  const at = t.items.findLastIndex((item) => item.kind === 'call' && item.id === call.id)
  t.own.watch?.cuts(t.items)
  if (at >= 0) t.items.splice(at, 1)
  drop(t, f, call, reason)
}

export function drop(t: Transcript, f: Frame, call: Call, reason: DropReason): void {
  t.own.watch?.changes(call)
  call.state = 'dropped'
  call.dropReason = reason
  call.endedAt = time(f)
  call.version++
  t.calls.delete(call.id)
  t.own.gone.set(call.id, call)
  t.dropped.push(call)
  const turn = t.own.turns.get(call.turn)
  if (turn !== undefined) {
    t.own.watch?.changes(turn)
    turn.dropped++
  }
  const parent = parentOf(t, call)
  if (parent === undefined) return
  t.own.watch?.changes(parent)
  parent.children = parent.children.filter((id) => id !== call.id)
  parent.version++
}

function parentOf(t: Transcript, call: Call): Call | undefined {
  return call.parentToolCallId === undefined ? undefined : t.calls.get(call.parentToolCallId)
}

function toolUpdate(call: Call, e: ToolUpdate): void {
  call.presentation = e.presentation ?? call.presentation
  if (e.argumentsText !== undefined) {
    call.argumentsText = e.argumentsText
    call.argumentsReplaced = true
  }
  const { contentText, detailsText, contentRef, detailsRef } = e
  if ((contentText ?? detailsText ?? contentRef ?? detailsRef) !== undefined) {
    call.update = { contentText, detailsText, contentRef, detailsRef }
    call.updateCount++
  }
}

function callState(f: Frame, call: Call, e: CallStateEvent): void {
  call.state = e.state
  if (e.state === 'waiting') {
    call.waitingAt = time(f)
    call.decidedAt = undefined
    call.by = undefined
    call.reason = undefined
  }
  if (e.state === 'approved' || e.state === 'denied' || e.state === 'expired') call.decidedAt = time(f)
  if (e.state === 'running') {
    call.runningAt = time(f)
    // What waited for a call in it was never decided itself.
    if (call.waitingAt !== undefined) call.decidedAt ??= time(f)
  }
  call.by = e.by ?? call.by
  call.reason = e.reason ?? call.reason
  call.approvalId = e.approvalId ?? call.approvalId
  call.argumentsHash = e.argumentsHash ?? call.argumentsHash
}

function result(f: Frame, call: Call, e: ToolResult): void {
  call.own.settled = true
  call.resultText = e.resultText
  call.detailsText = e.detailsText
  call.resultRef = e.resultRef
  call.detailsRef = e.detailsRef
  call.presentation = e.presentation ?? call.presentation
  call.error = e.error
  call.errorCode = e.errorCode
  call.durationMs = e.durationMs
  call.endedAt = time(f)
  // A call that was denied, expired or cancelled has a result too, for the model; of an unknown one nobody knows more by its error.
  if (call.state === 'denied' || call.state === 'expired' || call.state === 'cancelled') return
  if (e.error === undefined) call.state = 'done'
  else if (call.state !== 'unknown') call.state = 'failed'
}

export function approvalRequired(t: Transcript, f: Frame, e: ApprovalRequired): void {
  closePart(t)
  t.own.asked = true
  for (const approval of e.approvals) {
    t.approvals.set(approval.approvalId, approval)
    let call = t.calls.get(approval.toolCallId)
    if (call === undefined) {
      t.own.gone.delete(approval.toolCallId)
      call = addCall(t, f, approval.toolCallId, approval.toolName, approval.parentToolCallId)
      call.proposedText = approval.argumentsText
      call.argumentsText = approval.argumentsText
      applyEarly(t, call)
    }
    if (call.own.settled || call.state === 'dropped') continue
    t.own.watch?.changes(call)
    if (approval.argumentsText !== '') {
      call.argumentsReplaced = call.proposedText !== approval.argumentsText
      call.argumentsText = approval.argumentsText
    }
    call.own.writing = false
    call.state = approval.kind === 'unknown' ? 'unknown' : 'waiting'
    call.waitingAt = call.waitingAt ?? time(f)
    call.approval = approval
    call.approvalId = approval.approvalId
    call.argumentsHash = approval.argumentsHash ?? call.argumentsHash
    call.presentation = approval.presentation ?? call.presentation
    call.version++
  }
}
