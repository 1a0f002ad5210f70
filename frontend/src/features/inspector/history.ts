import type { ThreadStore } from '../../state/threadStore'
import type { Api } from '../../transport/api'
import type { HistoryMessage } from '../../transport/inspection'

type Messages = Map<string, HistoryMessage>

/** The last reading of each thread, good until something happens in it. */
const kept = new WeakMap<ThreadStore, { lastAt: number; messages: Messages }>()

/** The tool messages of a thread by run and call: "run/call". */
export async function readMessages(api: Api, store: ThreadStore, signal: AbortSignal): Promise<Messages> {
  const { lastAt } = store.state.get()
  const before = kept.get(store)
  if (before && before.lastAt === lastAt) return before.messages
  const messages: Messages = new Map()
  for (const message of await api.history(store.threadId, signal)) {
    if (message.toolCallId !== undefined) messages.set(`${message.runId}/${message.toolCallId}`, message)
  }
  kept.set(store, { lastAt, messages })
  return messages
}

/** How much of a message was cut away before the model read it, in characters, as its last line says. */
export function cutOf(content: string): { gone: number; total: number } | undefined {
  const match = /\n\[cut: (\d+) of (\d+) characters are not shown\]$/.exec(content.slice(-120))
  return match ? { gone: Number(match[1]), total: Number(match[2]) } : undefined
}
