import { decodeEvent } from './decode'
import { fields, Malformed, optionalInteger, optionalText } from './fields'

/** Who speaks in a message. */
export type Role = 'system' | 'user' | 'assistant' | 'tool'

/** Where a run stands. */
export type Status = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled'

/** Where a call stands. The wire names those between input and result; the fold derives the others. */
export type CallState =
  | 'input' // being written
  | 'proposed' // complete, not decided or not started
  | 'waiting'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'unknown' // the process died while it ran
  | 'dropped' // announced, but never became a call

/** Why an announced call never ran: its arguments never came complete, or the turn kept no such call. */
export type DropReason = 'incomplete' | 'discarded'

export type TurnPhase = 'start' | 'retry' | 'end'

/** What is asked: may it run, or what to do with a call that was running when the process died. */
export type ApprovalKind = 'approval' | 'unknown'

/** How a client shows a call without the tool's code. */
export interface Presentation {
  label: string
  icon?: string // a Lucide name
  detail?: string // what the call is about, one line
  summary?: string // a few words on the result
  tone?: Tone // of the result; absent is all well
}

/** How a result is to be taken, where a check mark would say too much. */
export type Tone = 'warning'

/** Stands for a value too large to travel with its event. Its JSON text is a blob, fetched when it is needed. */
export interface Ref {
  hash: string // hex SHA-256 of the text
  bytes: number
  head: string // how the text begins, for people
}

/** Counts tokens. What the provider did not tell is absent, never 0. */
export interface Usage {
  inputTokens?: number
  outputTokens?: number
  totalTokens?: number
  reasoningTokens?: number
  cachedInputTokens?: number
}

/** A call that waits for a person. */
export interface Approval {
  toolCallId: string
  toolName: string
  description: string
  sideEffects: string[]
  approvalId: string // the toolCallId where the server gives none
  kind: ApprovalKind
  argumentsText: string // exact
  argumentsHash?: string // hex SHA-256 of argumentsText, also where that is masked here
  masked?: boolean // a secret is masked in the arguments; the call runs with the secret
  hidden?: boolean // the arguments are not shown, {} stands for them, and no hash
  presentation?: Presentation
  detailsText?: string // JSON text of an effect-free preview
  expiresAt?: number // Unix ms
  parentToolCallId?: string
}

export interface Start {
  type: 'start'
  messageId: string
  threadId: string
  runId?: string
  agentName?: string
}

export interface Message {
  type: 'message'
  messageId: string
  role: Role
  content: string
}

export interface Turn {
  type: 'turn'
  turn: number // from 1
  phase: TurnPhase
  agentName?: string
  model?: string
  finishReason?: string
  usage?: Usage
  firstTokenMs?: number
  reason?: string // of a retry
  code?: string // of what failed the try before a retry
  parentToolCallId?: string // the call inside which the agent works that asks; turns are numbered through all agents of a run
  held: boolean // nothing of the answer goes out before it was checked
  cut?: Cut // of a start or a retry, where it changed in this run
}

/** What a request leaves out of the history: whole exchanges, so that the model reads no more than it can. */
export interface Cut {
  messages: number // how many are left out
  beforeMessageId?: string // the first message after them that is sent
  limit?: number // in tokens, the one that was set
  refused: boolean // the provider had refused more
}

export interface PartStart {
  type: 'text-start' | 'reasoning-start'
  id: string
}

export interface PartDelta {
  type: 'text-delta' | 'reasoning-delta'
  id: string
  delta: string
}

export interface PartEnd {
  type: 'text-end' | 'reasoning-end'
  id: string
  dropped: boolean // takes the part back
}

export interface ToolCallStart {
  type: 'tool-call-start'
  id: string
  toolName: string
  presentation?: Presentation
  parentToolCallId?: string
  providerCallId?: string
}

export interface ToolCallDelta {
  type: 'tool-call-delta'
  id: string
  argsTextDelta: string
}

export interface ToolCallEnd {
  type: 'tool-call-end'
  id: string
  dropped: boolean
}

export interface ToolUpdate {
  type: 'tool-update'
  toolCallId: string
  contentText?: string // JSON text
  detailsText?: string // JSON text
  contentRef?: Ref // in place of a large contentText
  detailsRef?: Ref // in place of a large detailsText
  presentation?: Presentation
  argumentsText?: string // what the call runs with; of a server that sends only `arguments`, that member's text
}

export interface CallStateEvent {
  type: 'call-state'
  toolCallId: string
  state: CallState
  by?: string
  reason?: string
  approvalId?: string
  argumentsHash?: string
}

export interface ToolResult {
  type: 'tool-result'
  id: string // the event's own
  toolCallId: string
  resultText?: string // JSON text; "null" for a failed call
  detailsText?: string // JSON text
  resultRef?: Ref // in place of a large resultText
  detailsRef?: Ref // in place of a large detailsText
  presentation?: Presentation
  error?: string
  errorCode?: string
  durationMs?: number
  dropped: boolean
  reason?: DropReason
}

export interface ApprovalRequired {
  type: 'approval-required'
  threadId: string
  approvals: Approval[]
}

export interface ErrorEvent {
  type: 'error'
  message: string
  code?: string
}

export interface Finish {
  type: 'finish'
  messageId: string
  usage?: Usage // of the whole run
  threadId?: string
  status?: Status
  pendingApprovals?: number
  structuredText?: string // JSON text
  structuredError?: string
  truncated: boolean
  blocked: boolean
  iterationLimitReached: boolean
  limit?: string // what stopped the run: "turns", "requests" (of all its agents) or "repeated-calls"
}

/** An event of a type this version does not know; its frame has the text. */
export interface UnknownEvent {
  type: 'unknown'
  kind: string // its type on the wire
}

export type Event =
  | Start
  | Message
  | Turn
  | PartStart
  | PartDelta
  | PartEnd
  | ToolCallStart
  | ToolCallDelta
  | ToolCallEnd
  | ToolUpdate
  | CallStateEvent
  | ToolResult
  | ApprovalRequired
  | ErrorEvent
  | Finish
  | UnknownEvent

/** An event under its number in its run's log. */
export interface Frame {
  seq: number // from 1 without gaps; 0 of a server that does not number
  at: number // Unix ms; 0 when not told
  event: Event
  raw: string // the event's JSON text as it came
}

/** Something on the wire that is not an event. */
export interface WireError {
  seq: number
  message: string
  raw: string
}

export function isWireError(x: Frame | WireError): x is WireError {
  return !('event' in x)
}

/** The time of an event; undefined when it was not told. */
export function time(f: Frame): number | undefined {
  return f.at === 0 ? undefined : f.at
}

/** What ends a stream after its finish, in place of an event. */
export const DONE = '[DONE]'

/**
 * Reads the JSON text of one event. A field of the wrong kind, or a needed one that is missing, makes it a WireError; null
 * counts as absent, fields and types that are not known are let through.
 */
export function decode(raw: string, seq: number): Frame | WireError {
  try {
    const f = fields(JSON.parse(raw), 'it')
    const type = optionalText(f, 'type')
    if (type === undefined) throw new Malformed('it has no type')
    return { seq, at: optionalInteger(f, 'at') ?? 0, event: decodeEvent(type, f, raw), raw }
  } catch (err) {
    if (err instanceof Malformed || err instanceof SyntaxError) {
      return { seq, message: `event ${seq}: ${err.message}`, raw }
    }
    throw err
  }
}
