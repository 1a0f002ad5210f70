// What a stranger would write with the types made of the document. It is only compiled: a member that is gone, or has another type,
// fails here.
import type { components, operations, paths } from './made'

type Schemas = components['schemas']

// A run, what it waits for, and the answer to that.
async function approve(ask: <T>(method: string, path: string, body?: unknown) => Promise<T>): Promise<string> {
  const input: paths['/agents/{name}/run']['post']['requestBody']['content']['application/json'] = { input: 'Go.', context: { userId: 'ada' } }
  const outcome = await ask<operations['runAgent']['responses']['200']['content']['application/json']>('POST', '/agents/demo/run', input)
  for (const call of outcome.pendingApprovals ?? []) {
    const decision: Schemas['DecisionRequest'] = { approved: call.toolName === 'read_file', argumentsHash: call.argumentsHash, reason: null }
    const decided = await ask<Schemas['DecidedApproval']>('POST', `/approvals/${call.approvalId}/decision`, decision)
    if (decided.resumed) return decided.runId
  }
  return `${outcome.status}: ${outcome.output}, ${outcome.usage.totalTokens ?? 'unknown'} tokens`
}

// The fold of a stream's events: the type of each tells its other members.
function told(e: Schemas['Event']): string {
  switch (e.type) {
    case 'text-delta':
      return e.delta
    case 'tool-call-start':
      return e.presentation?.label ?? e.toolName
    case 'tool-result':
      return e.error ?? JSON.stringify(e.result)
    case 'approval-required':
      return e.approvals.map((a) => a.argumentsText).join()
    case 'finish':
      return e.status === 'paused' ? `${e.pendingApprovals}` : ''
    case 'error':
      return `${e.code}: ${e.message}`
    default:
      return ''
  }
}

// A page of events has them numbered, and where it ends.
const after = (page: operations['getEvents']['responses']['200']['content']['application/json']): number =>
  page.events.at(-1)?.seq ?? page.last

// @ts-expect-error A run needs an input.
const empty: Schemas['RunRequest'] = { threadId: 't' }
// @ts-expect-error A context takes no key the server does not know.
const unknown: Schemas['RunRequest'] = { input: 'Go.', context: { shoe: 'size' } }
// @ts-expect-error An error has a code.
const vague: Schemas['Error'] = { error: { message: 'no' } }

export { after, approve, empty, told, unknown, vague }
