import type { Status } from '../protocol/events'
import type { ThreadSummary } from '../transport/answers'
import type { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import type { Ring } from '../transport/transport'
import { Cell } from './cell'

export interface ThreadListState {
  phase: 'loading' | 'ready' | 'failed'
  fault?: string
  threads: ThreadSummary[]
  /** What the list was searched for. */
  query: string
}

/** The list of threads, read again a moment after a ring. */
export class ThreadList {
  readonly state = new Cell<ThreadListState>({ phase: 'loading', threads: [], query: '' })
  readonly #api: Api
  /** Deleted, but for their time of grace. */
  readonly #hidden = new Set<string>()
  #all: ThreadSummary[] = []
  #query = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  search(query: string): void {
    this.#query = query
    this.#later(query ? 150 : 0)
  }

  /** Reads the list anew. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const asked = ++this.#asked
    const query = this.#query
    try {
      const threads = await this.#api.threads(query)
      if (asked !== this.#asked) return
      this.#all = threads
      this.#show('ready', undefined, query)
    } catch (cause) {
      if (asked !== this.#asked) return
      this.#show(this.state.get().phase === 'ready' ? 'ready' : 'failed', messageOf(cause), query)
    }
  }

  /** Takes a ring: a change of status at once, counts and times a little later. A hidden thread with a new run is shown again. */
  ring(ring: Ring): void {
    const status = statusOf(ring.status)
    const known = this.#all.find((thread) => thread.id === ring.threadId)
    if (known && !ring.deleted && known.runId !== ring.runId) this.#hidden.delete(ring.threadId)
    const changed = known?.runId !== ring.runId || (status !== undefined && known.status !== status)
    this.#later(changed ? 50 : 1000)
  }

  hide(threadId: string): void {
    this.#hidden.add(threadId)
    this.#reshow()
  }

  unhide(threadId: string): void {
    this.#hidden.delete(threadId)
    this.#reshow()
  }

  titleOf(threadId: string): string {
    return this.#all.find((thread) => thread.id === threadId)?.title ?? 'The thread'
  }

  isHidden(threadId: string): boolean {
    return this.#hidden.has(threadId)
  }

  #later(ms: number): void {
    if (this.#timer !== undefined && ms >= 1000) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.refresh(), ms)
  }

  #reshow(): void {
    const { phase, fault, query } = this.state.get()
    this.#show(phase, fault, query)
  }

  #show(phase: ThreadListState['phase'], fault: string | undefined, query: string): void {
    const threads = this.#all.filter((thread) => !this.#hidden.has(thread.id))
    this.state.set({ phase, fault, threads, query })
  }
}

function statusOf(word: string): Status | undefined {
  switch (word) {
    case 'running':
    case 'paused':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return word
    default:
      return undefined
  }
}
