import { approvalRequired, callStart, forCall } from './calls'
import { end, finish, takeBack, takeBackInside } from './ends'
import type {
  Approval,
  CallState,
  Cut,
  DropReason,
  Finish,
  Frame,
  Presentation,
  Ref,
  Role,
  Start,
  Status,
  Turn as TurnEvent,
  Usage,
  WireError,
} from './events'
import { time } from './events'
import { key, openPart, partDelta, partEnd } from './parts'

/**
 * A run as a reader sees it: the fold of its events, the same for live, stored and replayed ones. apply changes it in place;
 * version says when to look again.
 */
export interface Transcript {
  runId: string
  threadId: string
  agentName: string
  messageId: string // of the current stretch
  status: Status
  items: Item[] // in order of appearance; what was dropped is gone
  calls: Map<string, Call> // without the dropped ones
  dropped: Call[]
  droppedParts: Part[]
  turns: Turn[]
  approvals: Map<string, Approval> // every one that was asked, by approvalId, decided ones too
  usage?: Usage // of the whole run, once its finish told
  error?: { message: string; code?: string }
  finish?: Finish // of the current stretch
  startedAt: number // Unix ms
  endedAt?: number
  last: number // the number of the last event
  gaps: Gap[] // numbers that never came; a reader that wants them folds anew
  wireErrors: WireError[]
  unknown: Frame[] // of types this version does not know
  late: Frame[] // what came for a run, a call or a part that had ended: kept, not shown
  version: number
  /** What the fold alone reads. */
  readonly own: Own
}

export interface Gap {
  from: number
  to: number
}

export type Item = MessageItem | Part | CallItem

/** What the run was started with. Every item has a key of its own, made of kind and id. */
export interface MessageItem {
  kind: 'message'
  key: string
  id: string
  role: Role
  text: string
}

/** A stretch of the answer's text or of the model's reasoning. */
export interface Part {
  kind: 'text' | 'reasoning'
  key: string
  id: string
  turn: number
  text: string
  open: boolean
}

/** The place of a call; its state is in calls. A child's call has its place too. */
export interface CallItem {
  kind: 'call'
  key: string
  id: string
}

export interface Call {
  id: string
  toolName: string // empty of an orphan
  parentToolCallId?: string
  providerCallId?: string
  children: string[] // ids of the calls whose parent it is
  turn: number // 0 when not told
  agentName?: string
  state: CallState
  presentation?: Presentation
  proposedText: string // the arguments as the model wrote them
  argumentsText: string // the arguments it runs with
  argumentsReplaced: boolean
  update?: { contentText?: string; detailsText?: string; contentRef?: Ref; detailsRef?: Ref } // the latest progress, JSON texts
  updateCount: number
  approval?: Approval
  approvalId?: string
  argumentsHash?: string // what a decision has to name
  by?: string // who decided: a person, or rule:<name>
  reason?: string
  resultText?: string // JSON text
  detailsText?: string // JSON text
  resultRef?: Ref // in place of a large resultText
  detailsRef?: Ref // in place of a large detailsText
  error?: string
  errorCode?: string
  durationMs?: number
  dropReason?: DropReason
  orphan: boolean // it was never announced, but something came for it
  startedAt: number // Unix ms, like the others
  waitingAt?: number
  decidedAt?: number
  runningAt?: number
  endedAt?: number
  version: number
  /** What is of no transcript: its argument text is still coming; its one result came; the number of the event it is known since. */
  readonly own: { writing: boolean; settled: boolean; seq: number }
}

/** One model request. */
export interface Turn {
  turn: number
  parentToolCallId?: string // the call inside which the agent asked
  agentName?: string
  model?: string
  startedAt: number
  firstAt?: number // when the first piece of its newest try came
  endedAt?: number
  firstTokenMs?: number
  finishReason?: string
  usage?: Usage
  retries: { at: number; reason?: string; code?: string }[]
  dropped: number // calls of this turn that were dropped
  held: boolean
  cut?: Cut // the newest that was told
}

/** What the fold alone reads of a run. */
export interface Own {
  turn: number // of the run's own agent
  inside: Map<string, number> // of the agents that work inside calls
  open: Part | undefined
  parts: Map<string, { items: Part[]; ended: boolean }>
  keys: Map<string, number>
  turns: Map<number, Turn>
  gone: Map<string, Call> // dropped calls by id
  early: Map<string, Frame[]> // what came for calls before they were announced
  asked: boolean // approval-required came in this stretch
  watch?: Watch // of a transcript whose events can be taken back
}

/** Hears what an event is about to change, beyond the run's own fields, its maps, its open part, and its lists growing. */
export interface Watch {
  /** Fields of it change, or a list in it grows. A list may stand alone. */
  changes(object: object): void
  /** The items lose some. */
  cuts(items: Item[]): void
}

export function newTranscript(): Transcript {
  return {
    runId: '',
    threadId: '',
    agentName: '',
    messageId: '',
    status: 'running',
    items: [],
    calls: new Map(),
    dropped: [],
    droppedParts: [],
    turns: [],
    approvals: new Map(),
    startedAt: 0,
    last: 0,
    gaps: [],
    wireErrors: [],
    unknown: [],
    late: [],
    version: 0,
    own: {
      turn: 0,
      inside: new Map(),
      open: undefined,
      parts: new Map(),
      keys: new Map(),
      turns: new Map(),
      gone: new Map(),
      early: new Map(),
      asked: false,
    },
  }
}

/** No event can follow. */
export function ended(status: Status): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/**
 * Takes one event into the transcript, at a cost that does not grow with it. An event whose number came already is ignored;
 * one without a number follows the last.
 */
export function apply(t: Transcript, f: Frame): void {
  if (!count(t, f.seq)) return
  if (t.startedAt === 0) t.startedAt = f.at
  if (ended(t.status)) {
    t.late.push(f)
    return
  }
  const e = f.event
  switch (e.type) {
    case 'text-delta':
      partDelta(t, 'text', f, e.id, e.delta)
      return
    case 'reasoning-delta':
      partDelta(t, 'reasoning', f, e.id, e.delta)
      return
    case 'text-start':
      openPart(t, 'text', e.id)
      return
    case 'reasoning-start':
      openPart(t, 'reasoning', e.id)
      return
    case 'text-end':
      partEnd(t, 'text', f, e.id, e.dropped)
      return
    case 'reasoning-end':
      partEnd(t, 'reasoning', f, e.id, e.dropped)
      return
    case 'tool-call-start':
      callStart(t, f, e)
      return
    case 'tool-call-delta':
    case 'tool-call-end':
      forCall(t, f, e.id)
      return
    case 'tool-update':
    case 'call-state':
    case 'tool-result':
      forCall(t, f, e.toolCallId)
      return
    case 'approval-required':
      approvalRequired(t, f, e)
      return
    case 'turn':
      turn(t, f, e)
      return
    case 'start':
      start(t, e)
      return
    case 'message':
      t.items.push({
        kind: 'message',
        key: key(t, 'message', e.messageId),
        id: e.messageId,
        role: e.role,
        text: e.content,
      })
      return
    case 'error':
      t.error = { message: e.message, code: e.code }
      end(t, f, 'failed')
      return
    case 'finish':
      finish(t, f, e)
      return
    case 'unknown':
      t.unknown.push(f)
      return
    default:
      e satisfies never
  }
}

/** Takes note of something that is not an event. It counts under its number, so that it makes no gap. */
export function applyError(t: Transcript, e: WireError): void {
  if (count(t, e.seq)) t.wireErrors.push(e)
}

/** The calls that wait for a person, in the order they were asked. */
export function pendingCalls(t: Transcript): Call[] {
  const pending: Call[] = []
  for (const [id, approval] of t.approvals) {
    const call = t.calls.get(approval.toolCallId)
    if (call?.approval?.approvalId === id && waits(call) && !ended(t.status)) pending.push(call)
  }
  return pending
}

/** How many of the calls inside of a call, at any depth, wait for a person. */
export function waitingInside(t: Transcript, call: Call): number {
  let waiting = 0
  const met = new Set<Call>([call])
  for (const each of met) {
    for (const id of each.children) {
      const child = t.calls.get(id)
      if (child && !met.has(child)) met.add(child)
    }
    if (each !== call && waits(each)) waiting++
  }
  return waiting
}

function waits(call: Call): boolean {
  if (call.own.settled) return false
  return call.state === 'waiting' || (call.state === 'unknown' && call.approval?.kind === 'unknown')
}

function count(t: Transcript, seq: number): boolean {
  if (seq !== 0 && seq <= t.last) return false
  if (seq > t.last + 1) t.gaps.push({ from: t.last + 1, to: seq - 1 })
  t.last = seq === 0 ? t.last + 1 : seq
  t.version++
  return true
}

function start(t: Transcript, e: Start): void {
  t.status = 'running'
  t.messageId = e.messageId
  t.threadId = e.threadId || t.threadId
  t.runId = e.runId ?? t.runId
  t.agentName = e.agentName ?? t.agentName
  t.finish = undefined
  t.own.asked = false
}

function turn(t: Transcript, f: Frame, e: TurnEvent): void {
  let entry = t.own.turns.get(e.turn)
  if (entry === undefined) {
    entry = {
      turn: e.turn,
      parentToolCallId: e.parentToolCallId,
      startedAt: f.at,
      retries: [],
      dropped: 0,
      held: false,
    }
    t.own.turns.set(e.turn, entry)
    t.turns.push(entry)
  }
  if (e.parentToolCallId === undefined) t.own.turn = e.turn
  else t.own.inside.set(e.parentToolCallId, e.turn)
  t.own.watch?.changes(entry)
  entry.agentName = e.agentName ?? entry.agentName
  entry.model = e.model ?? entry.model
  entry.held ||= e.held
  entry.cut = e.cut ?? entry.cut
  if (e.phase === 'retry') {
    if (e.parentToolCallId === undefined) takeBack(t, f, e.turn)
    else takeBackInside(t, f, e.parentToolCallId, e.turn)
    entry.retries.push({ at: f.at, reason: e.reason, code: e.code })
    entry.firstAt = undefined
  }
  if (e.phase === 'end') {
    entry.endedAt = time(f)
    entry.finishReason = e.finishReason
    entry.usage = e.usage
    entry.firstTokenMs = e.firstTokenMs
  }
}
