/** Lines of a log: an event each, as the wire has it, without its number. */
export const at = 1_700_000_000_000

let time = at

/** An event a millisecond after the one before. */
export function event(type: string, fields: object = {}, later = 1): string {
  time += later
  return JSON.stringify({ type, at: time, ...fields })
}

export const start = (runId = 'r1', threadId = 't1') =>
  event('start', { messageId: 'm1', threadId, runId, agentName: 'demo' })

export const message = (content: string) => event('message', { messageId: 'u1', role: 'user', content })

export const turn = (n: number, phase: 'start' | 'end' = 'start') => event('turn', { turn: n, phase })

/** The events of a call up to the end of its arguments. */
export function call(id: string, toolName: string, args: string, presentation?: object): string[] {
  return [
    event('tool-call-start', { id, toolName, presentation }),
    event('tool-call-delta', { id, argsTextDelta: args }),
    event('tool-call-end', { id }),
  ]
}

export const state = (toolCallId: string, name: string, fields: object = {}) =>
  event('call-state', { toolCallId, state: name, ...fields })

export const result = (toolCallId: string, fields: object = {}) =>
  event('tool-result', { id: `${toolCallId}-r`, toolCallId, result: 'ok', durationMs: 5, ...fields })

/** A call from its start to its result. */
export const done = (id: string, toolName: string, args = '{}', presentation?: object) => [
  ...call(id, toolName, args, presentation),
  state(id, 'running'),
  result(id),
]

export const approvalRequired = (...approvals: object[]) => event('approval-required', { threadId: 't1', approvals })

/** What is asked of a call. */
export const approval = (toolCallId: string, argumentsText: string, fields: object = {}) => ({
  toolCallId,
  toolName: 'deploy',
  arguments: null,
  description: 'Changes something outside this machine.',
  approvalId: `a-${toolCallId}`,
  kind: 'approval',
  argumentsText,
  argumentsHash: `hash-${toolCallId}`,
  ...fields,
})

export const finish = (status = 'completed') => event('finish', { messageId: 'm1', threadId: 't1', status })
