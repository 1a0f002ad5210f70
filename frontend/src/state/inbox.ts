import type { PendingApproval } from '../transport/answers'
import type { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import type { Ring } from '../transport/transport'
import { Cell } from './cell'

export interface InboxState {
  phase: 'loading' | 'ready' | 'failed'
  fault?: string
  /** Every call that waits for a person, the longest waiting first. */
  approvals: PendingApproval[]
}

/** So long after a ring, in ms, what waits is read again. */
const delay = 60

/** What waits for a person in all threads. */
export class Inbox {
  readonly state = new Cell<InboxState>({ phase: 'loading', approvals: [] })
  readonly #api: Api
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const asked = ++this.#asked
    try {
      const approvals = await this.#api.approvals()
      if (asked === this.#asked) this.state.set({ phase: 'ready', approvals })
    } catch (cause) {
      if (asked !== this.#asked) return
      const { phase, approvals } = this.state.get()
      this.state.set({ phase: phase === 'ready' ? 'ready' : 'failed', fault: messageOf(cause), approvals })
    }
  }

  /** Takes a ring: only a run that paused, or one of which something waited, changes what waits. */
  ring(ring: Ring): void {
    const waited = this.state.get().approvals.some((each) => each.runId === ring.runId)
    if (ring.status !== 'paused' && !waited) return
    this.#timer ??= setTimeout(() => void this.refresh(), delay)
  }
}
