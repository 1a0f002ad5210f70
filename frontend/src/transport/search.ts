import type { CallState } from '../protocol/events'
import { type Fields, fields, flag, list, number, optionalText, text, texts, word } from './decode'

/** What a text is that a search finds. */
export const kinds = ['message', 'text', 'reasoning', 'arguments', 'progress', 'result', 'error'] as const
export type Kind = (typeof kinds)[number]

/** The states a call can be searched by. */
export const states = [
  'proposed',
  'waiting',
  'approved',
  'denied',
  'expired',
  'running',
  'done',
  'failed',
  'cancelled',
  'unknown',
  'dropped',
] as const satisfies readonly CallState[]

/** A text in which all words stand. */
export interface Hit {
  threadId: string
  threadTitle: string
  /** Empty: it is a message that a program put into the thread. */
  runId: string
  /** The event with which the text was complete; 0 without a run. */
  seq: number
  kind: Kind
  agentName: string
  /** Unix ms. */
  at: number
  /** Of a message or a part of the answer. */
  itemId?: string
  /** Absent of a text of no call, as the next four. */
  toolCallId?: string
  tool?: string
  label?: string
  state?: (typeof states)[number]
  dropped: boolean
  snippet: string
  /** Where the words stand in the snippet. */
  marks: { start: number; end: number }[]
}

/** A page of what was found, the newest first. */
export interface Found {
  hits: Hit[]
  /** What the next page is asked with; 0 on the last. A page without hits may have a next one. */
  before: number
  /** How many runs are not whole in the index yet. */
  behind: number
  /** Why it does not get on. */
  fault?: string
  /** What a search can be narrowed to. */
  tools: string[]
  /** What calls of a tool are called where they are shown, by its name. */
  labels: Record<string, string>
  agents: string[]
  /** How many bytes of each text are searched. */
  limit: number
}

export function found(of: Fields): Found {
  return {
    hits: list(of, 'hits', hit),
    before: number(of, 'before'),
    behind: number(of, 'behind'),
    fault: optionalText(of, 'fault'),
    tools: texts(of, 'tools'),
    labels: Object.fromEntries(Object.keys(fields(of.labels)).map((name) => [name, text(fields(of.labels), name)])),
    agents: texts(of, 'agents'),
    limit: number(of, 'limit'),
  }
}

function hit(of: Fields): Hit {
  return {
    threadId: text(of, 'threadId'),
    threadTitle: text(of, 'threadTitle'),
    runId: text(of, 'runId'),
    seq: number(of, 'seq'),
    kind: word(of, 'kind', kinds),
    agentName: text(of, 'agentName'),
    at: number(of, 'at'),
    itemId: optionalText(of, 'itemId'),
    toolCallId: optionalText(of, 'toolCallId'),
    tool: optionalText(of, 'tool'),
    label: optionalText(of, 'label'),
    state: text(of, 'state') ? word(of, 'state', states) : undefined,
    dropped: flag(of, 'dropped'),
    snippet: text(of, 'snippet'),
    marks: list(of, 'marks', (mark) => ({ start: number(mark, 'start'), end: number(mark, 'end') })),
  }
}
