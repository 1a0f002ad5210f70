import type { ThreadSummary } from '../../transport/answers'
import { counted, when } from '../../ui/format'

export interface ThreadGroup {
  name: string
  threads: ThreadSummary[]
}

/** The list by what matters: what needs a person first, then by day. */
export function groupThreads(threads: readonly ThreadSummary[], now: number): ThreadGroup[] {
  const groups = new Map<string, ThreadSummary[]>()
  const names = ['Needs you', 'Today', 'Yesterday', 'This week', 'Earlier']
  for (const name of names) groups.set(name, [])
  for (const thread of threads) groups.get(nameOf(thread, now))?.push(thread)
  return names.flatMap((name) => {
    const list = groups.get(name) ?? []
    return list.length === 0
      ? []
      : [{ name: name === 'Needs you' ? `Needs you (${list.length})` : name, threads: list }]
  })
}

function nameOf(thread: ThreadSummary, now: number): string {
  if (thread.pendingApprovals > 0) return 'Needs you'
  const today = new Date(now).setHours(0, 0, 0, 0)
  const day = 24 * 3600_000
  if (thread.updatedAt >= today) return 'Today'
  if (thread.updatedAt >= today - day) return 'Yesterday'
  return thread.updatedAt >= today - 6 * day ? 'This week' : 'Earlier'
}

/** The line under a thread's title: how it stands, how many calls, when. */
export function threadLine(thread: ThreadSummary, now: number): string {
  const calls = thread.calls > 0 ? counted(thread.calls, 'call') : ''
  return [statusWords(thread), calls, when(thread.updatedAt, now)].filter(Boolean).join(', ')
}

const failures = new Map([
  ['LLM_UNAVAILABLE', 'the model could not be used'],
  ['LLM_RATE_LIMITED', 'rate limit of the model'],
  ['LLM_TIMEOUT', 'the model took too long'],
  ['LLM_INVALID_RESPONSE', 'the answer was not usable'],
  ['LLM_CONTEXT_LENGTH_EXCEEDED', 'too long for the model'],
  ['LLM_CONTENT_FILTERED', 'refused by the provider'],
  ['RUN_TIMEOUT', 'took too long'],
  ['RUN_INTERRUPTED', 'interrupted'],
])

function failureWords(code: string): string {
  return failures.get(code) ?? code.toLowerCase().replaceAll('_', ' ')
}

function statusWords(thread: ThreadSummary): string {
  switch (thread.status) {
    case undefined:
      return 'no messages yet'
    case 'running':
      return 'running'
    case 'paused':
      return 'waiting for you'
    case 'completed':
      return 'finished'
    case 'cancelled':
      return 'stopped'
    case 'failed':
      return thread.errorCode ? `failed: ${failureWords(thread.errorCode)}` : 'failed'
    default:
      thread.status satisfies never
      return ''
  }
}
