import { type Fields, fields, flag, number, optionalNumber, text, texts } from './decode'

/** An agent as it is listed. */
export interface AgentInfo {
  name: string
  description: string
  /** It can be copied, not changed. */
  builtIn: boolean
  needsModel: boolean
  /** It has tools that work in a folder of the user's. */
  needsFolder: boolean
  /** The server of its model; empty: the model is the thread's. */
  providerId: string
  model: string
  /** What it names and is not there, in words: it works without. */
  missing: string[]
  /** The attached server it is on; '' of one that is here. */
  server: string
}

/** Whether the calls of a tool wait for a person, where that is not as the tool declares. */
export type ToolAsks = 'always' | 'never'

/** An agent as it is edited. Times are in ms; 0 and absent are the default. */
export interface AgentSpec {
  version: number
  name: string
  description: string
  instructions: string
  /** The server of its model; empty: the model is the thread's. */
  backend: string
  model: string
  /** In place of tools: every one there is when a run begins. */
  allTools: boolean
  tools: string[]
  approvals: Record<string, ToolAsks>
  handoffs: string[]
  /** Agents that are tools of this one. */
  agentTools: string[]
  parallel: boolean
  maxTurns: number
  /** Negative: no limit. */
  maxRepeats: number
  maxRetries: number
  contextTokens: number
  maxTokens: number
  /** Negative: nothing is cut. */
  maxResultLength: number
  timeoutMs: number
  toolTimeoutMs: number
  approvalTtlMs: number
  temperature?: number
}

/** What an import of a file would do. */
export interface AgentPreview {
  agent: AgentSpec
  /** There is an agent of the name. */
  taken: boolean
  /** And it cannot be replaced. */
  builtIn: boolean
  /** A name that is free. */
  free: string
  /** What it will speak with, in words. */
  model: string
  missing: string[]
}

export function agentInfo(of: Fields): AgentInfo {
  return {
    name: text(of, 'name'),
    description: text(of, 'description'),
    builtIn: flag(of, 'builtIn'),
    needsModel: flag(of, 'needsModel'),
    needsFolder: flag(of, 'needsFolder'),
    providerId: text(of, 'providerId'),
    model: text(of, 'model'),
    missing: texts(of, 'missing'),
    server: text(of, 'server'),
  }
}

export function agentSpec(of: Fields): AgentSpec {
  const approvals = Object.entries(fields(of.approvals)).flatMap(([tool, asks]) =>
    asks === 'always' || asks === 'never' ? [[tool, asks] as const] : [],
  )
  return {
    version: number(of, 'version'),
    name: text(of, 'name'),
    description: text(of, 'description'),
    instructions: text(of, 'instructions'),
    backend: text(of, 'backend'),
    model: text(of, 'model'),
    allTools: flag(of, 'allTools'),
    tools: texts(of, 'tools'),
    approvals: Object.fromEntries(approvals),
    handoffs: texts(of, 'handoffs'),
    agentTools: texts(of, 'agentTools'),
    parallel: flag(of, 'parallel'),
    maxTurns: number(of, 'maxTurns'),
    maxRepeats: number(of, 'maxRepeats'),
    maxRetries: number(of, 'maxRetries'),
    contextTokens: number(of, 'contextTokens'),
    maxTokens: number(of, 'maxTokens'),
    maxResultLength: number(of, 'maxResultLength'),
    timeoutMs: number(of, 'timeoutMs'),
    toolTimeoutMs: number(of, 'toolTimeoutMs'),
    approvalTtlMs: number(of, 'approvalTtlMs'),
    temperature: optionalNumber(of, 'temperature'),
  }
}

export function agentPreview(of: Fields): AgentPreview {
  return {
    agent: agentSpec(fields(of.agent)),
    taken: flag(of, 'taken'),
    builtIn: flag(of, 'builtIn'),
    free: text(of, 'free'),
    model: text(of, 'model'),
    missing: texts(of, 'missing'),
  }
}
