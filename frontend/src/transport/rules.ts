import { rawMember } from '../protocol/json'
import { type Fields, fields, flag, list, number, parse, text, word } from './decode'

/** What an argument must be for a rule to allow a call. */
export interface Condition {
  /** The name of a member at the top of the arguments; empty of a place. */
  path: string
  op: 'equals' | 'pattern' | 'place'
  /** JSON text, the pattern itself, or the name of the sandbox the call runs in. */
  value: string
}

/** What a rule is made from. */
export interface RuleDraft {
  toolName: string
  /** Absent is every agent. */
  agentName?: string
  conditions: Condition[]
  /** Unix ms; absent is never. */
  expiresAt?: number
  name?: string
}

/** A person's answer in advance. */
export interface Rule {
  id: string
  name: string
  toolName: string
  agentName: string
  conditions: Condition[]
  /** The rule in words. */
  text: string
  enabled: boolean
  uses: number
  createdAt: number
  expiresAt?: number
  lastUsedAt?: number
}

/** A past call that a rule would have allowed. */
export interface RuleMatch {
  runId: string
  threadId: string
  toolCallId: string
  argumentsText: string
  state: string
  at: number
}

export interface RulePreview {
  text: string
  /** How many past calls it would have allowed; matches has the newest of them. */
  total: number
  matches: RuleMatch[]
  /** How many past calls of the tool there are. */
  asked: number
}

/** A tool as a client may show it: its arguments are described by a JSON Schema. */
export interface ToolInfo {
  name: string
  description: string
  parameters: unknown
  /** The schema as it is written; absent when there is none. */
  parametersText?: string
}

export function rule(of: Fields): Rule {
  return {
    id: text(of, 'id'),
    name: text(of, 'name'),
    toolName: text(of, 'toolName'),
    agentName: text(of, 'agentName'),
    conditions: list(of, 'conditions', condition),
    text: text(of, 'text'),
    enabled: flag(of, 'enabled'),
    uses: number(of, 'uses'),
    createdAt: number(of, 'createdAt'),
    expiresAt: number(of, 'expiresAt') || undefined,
    lastUsedAt: number(of, 'lastUsedAt') || undefined,
  }
}

function condition(of: Fields): Condition {
  return { path: text(of, 'path'), op: word(of, 'op', ['equals', 'pattern', 'place']), value: text(of, 'value') }
}

export function rulePreview(of: Fields): RulePreview {
  return {
    text: text(of, 'text'),
    total: number(of, 'total'),
    matches: list(of, 'matches', (match) => ({
      runId: text(match, 'runId'),
      threadId: text(match, 'threadId'),
      toolCallId: text(match, 'toolCallId'),
      argumentsText: text(match, 'argumentsText'),
      state: text(match, 'state'),
      at: number(match, 'at'),
    })),
    asked: number(of, 'asked'),
  }
}

/** Reads a tool of its JSON text. */
export function toolInfo(raw: string): ToolInfo {
  const of = fields(parse(raw))
  return {
    name: text(of, 'name'),
    description: text(of, 'description'),
    parameters: fields(of.parameters),
    parametersText: rawMember(raw, 'parameters'),
  }
}
