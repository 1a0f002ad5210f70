import type { Role } from '../protocol/events'
import { type Fields, isFields, list, number, optionalText, text, texts, word } from './decode'

/** A message of a thread's history, as a model reads it. */
export interface HistoryMessage {
  id: string
  role: Role
  content: string
  reasoning: string
  toolCalls: { id: string; name: string; argumentsText: string }[]
  /** Of a tool message: the call it answers. */
  toolCallId?: string
  /** What a tool message shows beside its content: images, by the hash of their bytes. */
  images: { hash: string; mediaType: string; bytes: number }[]
  runId: string
  /** Why it had to be changed or put in before a model could read the history. */
  repaired?: string
}

/** What the next request in a thread will send. */
export interface NextRequest {
  agentName: string
  model: string
  tools: string[]
  messages: HistoryMessage[]
  /** What of the history is too much for the model: how many messages, and the limit in tokens. */
  cut?: { messages: number; limit: number }
}

/** One try of a turn as it went over the wire. */
export interface ProviderRequest {
  turn: number
  /** From 0. */
  try: number
  /** Unix ms. */
  at: number
  agentName: string
  sent: string
  received: { after: number; text: string }[]
  /** The answer is left out: the agent's turns are held back until they are checked. */
  withheld: boolean
  /** How many places of the answer could not be read, so that they and its texts are withheld. */
  unread: number
}

const roles = ['user', 'assistant', 'tool', 'system'] as const

/** A message that a program put into a thread, outside of its runs. */
export interface AddedMessage {
  id: string
  role: Role
  content: string
  /** Unix ms. */
  at: number
}

export function addedMessage(of: Fields): AddedMessage {
  return { id: text(of, 'id'), role: word(of, 'role', roles), content: text(of, 'content'), at: number(of, 'at') }
}

export function historyMessage(of: Fields): HistoryMessage {
  const [result] = list(of, 'toolResults', (each) => text(each, 'toolCallId'))
  return {
    id: text(of, 'id'),
    role: word(of, 'role', roles),
    content: text(of, 'content'),
    reasoning: text(of, 'reasoning'),
    toolCalls: list(of, 'toolCalls', (call) => ({
      id: text(call, 'id'),
      name: text(call, 'name'),
      argumentsText: text(call, 'argumentsText'),
    })),
    toolCallId: optionalText(of, 'toolCallId') ?? result,
    images: list(of, 'images', (each) => ({
      hash: text(each, 'hash'),
      mediaType: text(each, 'mediaType'),
      bytes: number(each, 'bytes'),
    })),
    runId: text(of, 'runId'),
    repaired: optionalText(of, 'repaired'),
  }
}

export function nextRequest(of: Fields): NextRequest {
  return {
    agentName: text(of, 'agentName'),
    model: text(of, 'model'),
    tools: texts(of, 'tools'),
    messages: list(of, 'messages', historyMessage),
    cut: isFields(of.cut) ? { messages: number(of.cut, 'messages'), limit: number(of.cut, 'limit') } : undefined,
  }
}

export function providerRequest(of: Fields): ProviderRequest {
  return {
    turn: number(of, 'turn'),
    try: number(of, 'try'),
    at: number(of, 'at'),
    agentName: text(of, 'agentName'),
    sent: text(of, 'sent'),
    received: list(of, 'received', (piece) => ({ after: number(piece, 'after'), text: text(piece, 'text') })),
    withheld: of.withheld === true,
    unread: of.unread === undefined ? 0 : number(of, 'unread'),
  }
}
