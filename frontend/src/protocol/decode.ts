import type {
  Approval,
  CallState,
  Cut,
  Event,
  Finish,
  Presentation,
  Ref,
  Role,
  Status,
  ToolResult,
  ToolUpdate,
  TurnPhase,
  Usage,
} from './events'
import {
  type Fields,
  fields,
  flag,
  id,
  Malformed,
  oneOf,
  optionalFields,
  optionalInteger,
  optionalText,
  text,
} from './fields'
import { elements, rawMembers } from './json'

const told: CallState[] = ['waiting', 'approved', 'denied', 'expired', 'running', 'cancelled', 'unknown'] // the others are derived
const phases: TurnPhase[] = ['start', 'retry', 'end']
const roles: Role[] = ['system', 'user', 'assistant', 'tool']
const statuses: Status[] = ['running', 'paused', 'completed', 'failed', 'cancelled']

/** Reads the members of an event of the given type; raw is its text, of which JSON members keep their bytes. */
export function decodeEvent(type: string, f: Fields, raw: string): Event {
  switch (type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { type, id: id(f, 'id'), delta: text(f, 'delta') }
    case 'tool-call-delta':
      return { type, id: id(f, 'id'), argsTextDelta: text(f, 'argsTextDelta') }
    case 'text-start':
    case 'reasoning-start':
      return { type, id: id(f, 'id') }
    case 'text-end':
    case 'reasoning-end':
    case 'tool-call-end':
      return { type, id: id(f, 'id'), dropped: flag(f, 'dropped') }
    case 'tool-call-start':
      return {
        type,
        id: id(f, 'id'),
        toolName: text(f, 'toolName'),
        presentation: presentation(f),
        parentToolCallId: optionalText(f, 'parentToolCallId'),
        providerCallId: optionalText(f, 'providerCallId'),
      }
    case 'tool-update':
      return toolUpdate(f, raw)
    case 'call-state':
      return {
        type,
        toolCallId: id(f, 'toolCallId'),
        state: oneOf(f, 'state', told),
        by: optionalText(f, 'by'),
        reason: optionalText(f, 'reason'),
        approvalId: optionalText(f, 'approvalId'),
        argumentsHash: optionalText(f, 'argumentsHash'),
      }
    case 'tool-result':
      return toolResult(f, raw)
    case 'approval-required':
      return { type, threadId: optionalText(f, 'threadId') ?? '', approvals: approvals(f, raw) }
    case 'turn':
      return {
        type,
        turn: optionalInteger(f, 'turn') ?? 0,
        phase: oneOf(f, 'phase', phases),
        agentName: optionalText(f, 'agentName'),
        model: optionalText(f, 'model'),
        finishReason: optionalText(f, 'finishReason'),
        usage: usage(f),
        firstTokenMs: optionalInteger(f, 'firstTokenMs'),
        reason: optionalText(f, 'reason'),
        code: optionalText(f, 'code'),
        parentToolCallId: optionalText(f, 'parentToolCallId'),
        held: flag(f, 'held'),
        cut: cut(f),
      }
    case 'start':
      return {
        type,
        messageId: optionalText(f, 'messageId') ?? '',
        threadId: optionalText(f, 'threadId') ?? '',
        runId: optionalText(f, 'runId'),
        agentName: optionalText(f, 'agentName'),
      }
    case 'message':
      return {
        type,
        messageId: optionalText(f, 'messageId') ?? '',
        role: oneOf(f, 'role', roles),
        content: text(f, 'content'),
      }
    case 'error':
      return { type, message: text(f, 'message'), code: optionalText(f, 'code') }
    case 'finish':
      return finish(f, raw)
    default:
      return { type: 'unknown', kind: type }
  }
}

function toolUpdate(f: Fields, raw: string): ToolUpdate {
  const texts = rawMembers(raw, ['content', 'details', 'arguments'])
  return {
    type: 'tool-update',
    toolCallId: id(f, 'toolCallId'),
    contentText: texts.content,
    detailsText: present(texts.details),
    contentRef: ref(f, 'contentRef'),
    detailsRef: ref(f, 'detailsRef'),
    presentation: presentation(f),
    argumentsText: optionalText(f, 'argumentsText') ?? present(texts.arguments),
  }
}

function toolResult(f: Fields, raw: string): ToolResult {
  const texts = rawMembers(raw, ['result', 'details'])
  const reason = optionalText(f, 'reason')
  return {
    type: 'tool-result',
    id: optionalText(f, 'id') ?? '',
    toolCallId: id(f, 'toolCallId'),
    resultText: texts.result,
    detailsText: present(texts.details),
    resultRef: ref(f, 'resultRef'),
    detailsRef: ref(f, 'detailsRef'),
    presentation: presentation(f),
    error: optionalText(f, 'error'),
    errorCode: optionalText(f, 'errorCode'),
    durationMs: optionalInteger(f, 'durationMs'),
    dropped: flag(f, 'dropped'),
    reason: reason === 'incomplete' || reason === 'discarded' ? reason : undefined,
  }
}

function ref(parent: Fields, name: string): Ref | undefined {
  const f = optionalFields(parent, name)
  if (f === undefined) return undefined
  return { hash: id(f, 'hash'), bytes: optionalInteger(f, 'bytes') ?? 0, head: optionalText(f, 'head') ?? '' }
}

function approvals(f: Fields, raw: string): Approval[] {
  const list = f.approvals
  if (!Array.isArray(list)) throw new Malformed('approvals is not a list')
  const texts = elements(rawMembers(raw, ['approvals']).approvals ?? '[]')
  return list.map((item: unknown, i) => approval(fields(item, 'an approval'), texts[i] ?? '{}'))
}

/** Reads the JSON text of one approval, in an event or in the list of what waits; it throws Malformed. */
export function decodeApproval(raw: string): Approval {
  return approval(fields(JSON.parse(raw), 'an approval'), raw)
}

function approval(f: Fields, raw: string): Approval {
  const texts = rawMembers(raw, ['arguments', 'details'])
  const toolCallId = id(f, 'toolCallId')
  const effects = f.sideEffects ?? []
  if (!Array.isArray(effects)) throw new Malformed('sideEffects is not a list')
  return {
    toolCallId,
    toolName: optionalText(f, 'toolName') ?? '',
    description: optionalText(f, 'description') ?? '',
    sideEffects: effects.map((effect: unknown) => {
      if (typeof effect !== 'string') throw new Malformed('a side effect is not a string')
      return effect
    }),
    approvalId: optionalText(f, 'approvalId') ?? toolCallId,
    kind: optionalText(f, 'kind') === 'unknown' ? 'unknown' : 'approval',
    argumentsText: optionalText(f, 'argumentsText') ?? present(texts.arguments) ?? '',
    argumentsHash: optionalText(f, 'argumentsHash'),
    masked: flag(f, 'masked') || undefined,
    hidden: flag(f, 'hidden') || undefined,
    presentation: presentation(f),
    detailsText: present(texts.details),
    expiresAt: optionalInteger(f, 'expiresAt') || undefined,
    parentToolCallId: optionalText(f, 'parentToolCallId'),
  }
}

function finish(f: Fields, raw: string): Finish {
  return {
    type: 'finish',
    messageId: optionalText(f, 'messageId') ?? '',
    usage: usage(f),
    threadId: optionalText(f, 'threadId'),
    status: optionalText(f, 'status') === undefined ? undefined : oneOf(f, 'status', statuses),
    pendingApprovals: optionalInteger(f, 'pendingApprovals') || undefined,
    structuredText: present(rawMembers(raw, ['structured']).structured),
    structuredError: optionalText(f, 'structuredError'),
    truncated: flag(f, 'truncated'),
    blocked: flag(f, 'blocked'),
    iterationLimitReached: flag(f, 'iterationLimitReached'),
    limit: optionalText(f, 'limit'),
  }
}

function presentation(parent: Fields): Presentation | undefined {
  const f = optionalFields(parent, 'presentation')
  if (f === undefined) return undefined
  return {
    label: optionalText(f, 'label') ?? '',
    icon: optionalText(f, 'icon'),
    detail: optionalText(f, 'detail'),
    summary: optionalText(f, 'summary'),
    tone: optionalText(f, 'tone') === 'warning' ? 'warning' : undefined,
  }
}

function usage(parent: Fields): Usage | undefined {
  const f = optionalFields(parent, 'usage')
  if (f === undefined) return undefined
  return {
    inputTokens: optionalInteger(f, 'inputTokens'),
    outputTokens: optionalInteger(f, 'outputTokens'),
    totalTokens: optionalInteger(f, 'totalTokens'),
    reasoningTokens: optionalInteger(f, 'reasoningTokens'),
    cachedInputTokens: optionalInteger(f, 'cachedInputTokens'),
  }
}

function cut(parent: Fields): Cut | undefined {
  const f = optionalFields(parent, 'cut')
  if (f === undefined) return undefined
  return {
    messages: optionalInteger(f, 'messages') ?? 0,
    beforeMessageId: optionalText(f, 'beforeMessageId'),
    limit: optionalInteger(f, 'limit') || undefined,
    refused: flag(f, 'refused'),
  }
}

function present(jsonText: string | undefined): string | undefined {
  return jsonText === 'null' ? undefined : jsonText
}
