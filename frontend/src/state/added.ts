import type { AddedMessage } from '../transport/inspection'
import type { Row } from './rows'

/** The rows of messages that programs put into a thread, outside of its runs: those above a run, and those under the last one. */
export interface AddedRows {
  before: readonly Row[]
  after: readonly Row[]
}

/** What is added around each of some runs, which are in their order: after one began no message comes in before it is over. */
export function placeAdded(
  messages: readonly AddedMessage[],
  runs: readonly { createdAt: number }[],
): (AddedRows | undefined)[] {
  let from = 0
  return runs.map(({ createdAt }, index) => {
    const first = messages.findIndex(({ at }, i) => i >= from && at >= createdAt)
    const to = first < 0 ? messages.length : first
    const before = messages.slice(from, to)
    from = to
    const after = index === runs.length - 1 ? messages.slice(to) : []
    return before.length + after.length > 0 ? { before: addedRows(before), after: addedRows(after) } : undefined
  })
}

/** The rows of messages, in their order. */
export function addedRows(messages: readonly AddedMessage[]): Row[] {
  return messages.flatMap(({ id, role, content }, i): Row[] => {
    const key = `added/${id}`
    const row: Row = { kind: 'message', key, item: { kind: 'message', key, id, role, text: content } }
    if (messages[i - 1]?.role === role) return [row]
    return [{ kind: 'speaker', key: `${key}/speaker`, name: role === 'user' ? 'user' : 'agent', by: 'added' }, row]
  })
}
