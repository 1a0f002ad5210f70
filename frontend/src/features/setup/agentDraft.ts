import type { AgentSpec, ToolAsks } from '../../transport/agents'
import type { StudioState } from '../../transport/answers'
import type { ToolInfo } from '../../transport/rules'

/** A limit as it stands in the form: text, empty for the default. */
export interface Limit {
  name: LimitName
  label: string
  /** What counts when nothing is written. */
  fallback: string
  /** So many of what is stored make one of what is written. */
  unit: number
  /** A decimal may be written. */
  decimal?: boolean
  /** 0 is a limit like any other, not none. */
  zero?: boolean
  most?: number
  /** What a stored -1 is written as. */
  none?: string
}

export type LimitName =
  | 'maxTurns'
  | 'contextTokens'
  | 'maxResultLength'
  | 'maxTokens'
  | 'timeoutMs'
  | 'toolTimeoutMs'
  | 'approvalTtlMs'
  | 'temperature'

export const limits: readonly Limit[] = [
  { name: 'maxTurns', label: 'Turns of a run', fallback: '100', unit: 1 },
  { name: 'contextTokens', label: 'Tokens the model reads', fallback: 'no limit', unit: 1 },
  {
    name: 'maxResultLength',
    label: 'Characters it reads of a result',
    fallback: '50000',
    unit: 1,
    none: 'all',
  },
  { name: 'maxTokens', label: 'Tokens of an answer', fallback: 'the model’s', unit: 1 },
  { name: 'timeoutMs', label: 'Seconds of a run', fallback: 'no limit', unit: 1000, decimal: true },
  { name: 'toolTimeoutMs', label: 'Seconds of a call', fallback: 'the tool’s', unit: 1000, decimal: true },
  { name: 'approvalTtlMs', label: 'Seconds a decision may take', fallback: 'no limit', unit: 1000, decimal: true },
  {
    name: 'temperature',
    label: 'Temperature, 0 to 2',
    fallback: 'the model’s',
    unit: 1,
    decimal: true,
    zero: true,
    most: 2,
  },
]

/** An agent as it stands in the form: what is not in it stays as it is. */
export interface AgentDraft extends Omit<AgentSpec, LimitName> {
  limits: Record<LimitName, string>
}

const blank: AgentSpec = {
  version: 1,
  name: '',
  description: '',
  instructions: '',
  backend: '',
  model: '',
  allTools: true,
  tools: [],
  approvals: {},
  handoffs: [],
  agentTools: [],
  parallel: false,
  maxTurns: 0,
  maxRepeats: 0,
  maxRetries: 0,
  contextTokens: 0,
  maxTokens: 0,
  maxResultLength: 0,
  timeoutMs: 0,
  toolTimeoutMs: 0,
  approvalTtlMs: 0,
}

export function agentDraftOf(spec: AgentSpec = blank): AgentDraft {
  const written = limits.map((limit) => [limit.name, writtenOf(limit, spec[limit.name])] as const)
  return { ...spec, limits: Object.fromEntries(written) as Record<LimitName, string> }
}

function writtenOf({ name, unit, none }: Limit, stored: number | undefined): string {
  if (stored === undefined || (stored === 0 && name !== 'temperature')) return ''
  return none && stored < 0 ? none : String(stored / unit)
}

/** What to save of a draft, or the limit that is wrong and why. */
export function agentOf(draft: AgentDraft): { spec: AgentSpec } | { limit: LimitName; fault: string } {
  const { limits: written, ...rest } = draft
  const stored = new Map<LimitName, number | undefined>()
  for (const limit of limits) {
    const read = readLimit(limit, written[limit.name].trim())
    if (typeof read === 'string') return { limit: limit.name, fault: read }
    stored.set(limit.name, read)
  }
  const of = (name: LimitName) => stored.get(name) ?? 0
  return {
    spec: {
      ...rest,
      name: rest.name.trim(),
      tools: rest.allTools ? [] : rest.tools,
      maxTurns: of('maxTurns'),
      contextTokens: of('contextTokens'),
      maxResultLength: of('maxResultLength'),
      maxTokens: of('maxTokens'),
      timeoutMs: of('timeoutMs'),
      toolTimeoutMs: of('toolTimeoutMs'),
      approvalTtlMs: of('approvalTtlMs'),
      temperature: stored.get('temperature'),
    },
  }
}

/** What is stored of a limit; undefined for the default, and words when it cannot be. */
function readLimit({ unit, decimal, zero, most, none }: Limit, written: string): number | undefined | string {
  if (!written) return undefined
  if (none && written === none) return -1
  if (!(decimal ? /^-?\d+([.,]\d+)?$/ : /^-?\d+$/).test(written))
    return `“${written}” is no ${decimal ? 'number' : 'whole number'}${none ? `, nor ${none}` : ''}.`
  const value = Number(written.replace(',', '.'))
  const stored = unit > 1 ? Math.round(value * unit) : value
  if (stored < 0 || (stored === 0 && !zero)) return `At least ${zero ? 0 : 1 / unit}.`
  return most !== undefined && stored > most ? `At most ${most}.` : stored
}

/** Tools that belong together, to choose from. */
export interface ToolGroup {
  label: string
  /** Why none of them can be used now. */
  off?: string
  tools: { name: string; description: string }[]
}

/** All tools there are, by where they come from, and last those the agent names and nobody has. */
export function toolGroups(
  state: StudioState,
  files: readonly string[],
  all: readonly ToolInfo[],
  chosen: readonly string[],
): ToolGroup[] {
  const described = new Map(all.map((tool) => [tool.name, tool.description]))
  const tools = (names: readonly string[]) => names.map((name) => ({ name, description: described.get(name) ?? '' }))
  const groups: ToolGroup[] = [{ label: 'Files and commands of a folder', tools: tools(files) }]
  for (const set of state.toolsets) {
    const off = state.settings.toolsets[set.name] ? undefined : 'switched off under Tool sets'
    groups.push({ label: set.description, off, tools: tools(set.tools) })
  }
  for (const server of state.mcpServers) {
    const usable = server.tools.filter(({ toolName }) => toolName !== '')
    groups.push({
      label: `MCP server ${server.name}`,
      off: server.enabled ? undefined : 'switched off under MCP servers',
      tools: usable.map(({ toolName, description }) => ({ name: toolName, description })),
    })
  }
  const known = new Set(groups.flatMap((group) => group.tools.map(({ name }) => name)))
  const gone = chosen.filter((name) => !known.has(name))
  if (gone.length > 0) groups.push({ label: 'Not there now', off: 'nobody has them', tools: tools(gone) })
  return groups.filter((group) => group.tools.length > 0)
}

export function isAsks(value: string): value is ToolAsks {
  return value === 'always' || value === 'never'
}
