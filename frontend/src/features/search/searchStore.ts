import type { App } from '../../state/app'
import { Cell } from '../../state/cell'
import { messageOf } from '../../transport/apiError'
import type { Hit } from '../../transport/search'
import { gather, hitKey } from './groups'
import { faultOf, parseQuery, serverQuery } from './query'

/** So long after a key press, in ms, the server is asked; and again while its index is behind. */
const afterKey = 150
const afterIndexed = 1500
/** So many pages without a hit are looked through before the reader is asked whether to go on. */
const emptyPages = 12

export interface SearchState {
  /** What was asked, as the address has it. */
  asked: string
  /** idle: nothing is searched for. */
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  fault?: string
  hits: readonly Hit[]
  /** What the next page is asked with; 0 when all is there. */
  before: number
  /** More of the same search is being read. */
  more: boolean
  behind: number
  indexFault?: string
  tools: readonly string[]
  /** What calls of a tool are called where they are shown, by its name. */
  labels: Readonly<Record<string, string>>
  agents: readonly string[]
  /** How many bytes of each text are searched; 0 before the first answer. */
  limit: number
  /** The hit the reader stands at. */
  active: number
}

const blank: SearchState = {
  asked: '',
  phase: 'idle',
  hits: [],
  before: 0,
  more: false,
  behind: 0,
  tools: [],
  labels: {},
  agents: [],
  limit: 0,
  active: 0,
}

const stores = new WeakMap<App, SearchStore>()

/** The search of a window: what it found stays while the reader looks at some of it. */
export function searchOf(app: App): SearchStore {
  let store = stores.get(app)
  if (!store) {
    store = new SearchStore(app)
    stores.set(app, store)
  }
  return store
}

export class SearchStore {
  readonly state = new Cell<SearchState>(blank)
  readonly #app: App
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking: AbortController | undefined

  constructor(app: App) {
    this.#app = app
  }

  /** Searches as an address says, unless that is what was found last. */
  ask(asked: string, at = afterKey): void {
    const { phase, asked: last } = this.state.get()
    if (asked === last && (phase === 'ready' || phase === 'loading')) return
    this.#app.searched = asked
    this.#stop()
    const query = parseQuery(asked)
    const sent = faultOf(query) ? undefined : serverQuery(query, Date.now())
    if (sent === undefined) {
      this.#set({ asked, phase: 'idle', fault: faultOf(query), hits: [], before: 0, more: false, active: 0 })
      // The names a search can be narrowed to come with any answer.
      if (this.state.get().limit === 0) this.#timer = setTimeout(() => void this.#names(), at)
      return
    }
    this.#set({ asked, phase: 'loading', fault: undefined, more: false })
    this.#timer = setTimeout(() => void this.#first(sent, asked), at)
  }

  /** Asks again what failed. */
  again(): void {
    const { asked } = this.state.get()
    this.#set({ phase: 'idle' })
    this.ask(asked, 0)
  }

  /** Reads what comes after what is there. */
  async more(): Promise<void> {
    const { before, more, phase, asked } = this.state.get()
    const sent = serverQuery(parseQuery(asked), Date.now())
    if (before === 0 || more || phase !== 'ready' || sent === undefined) return
    clearTimeout(this.#timer)
    const { signal } = this.#begin()
    this.#set({ more: true, fault: undefined })
    try {
      const found = await this.#look(sent, before, signal)
      const { hits } = this.state.get()
      this.#set({ ...found, hits: [...hits, ...gather(found.hits, hits.at(-1)?.threadId)], more: false })
    } catch (cause) {
      if (!signal.aborted) this.#set({ more: false, fault: messageOf(cause) })
    }
  }

  go(active: number): void {
    const { hits } = this.state.get()
    this.#set({ active: Math.max(0, Math.min(hits.length - 1, active)) })
  }

  /** Nobody looks: nothing more is asked. */
  rest(): void {
    clearTimeout(this.#timer)
    if (this.state.get().phase !== 'loading') return
    this.#stop()
    this.#set({ phase: 'idle', asked: '' })
  }

  async #first(sent: string, asked: string): Promise<void> {
    const { signal } = this.#begin()
    try {
      const found = await this.#look(sent, 0, signal)
      this.#set({ ...found, hits: gather(found.hits, undefined), phase: 'ready', asked, fault: undefined, active: 0 })
      this.#watch(sent)
    } catch (cause) {
      if (!signal.aborted) this.#set({ phase: 'failed', fault: messageOf(cause) })
    }
  }

  /** While the index is behind and the reader is on the first page, what comes into it is shown. */
  #watch(sent: string): void {
    if (this.state.get().behind === 0) return
    this.#timer = setTimeout(async () => {
      const { signal } = this.#begin()
      const { hits, active } = this.state.get()
      const at = hits[active]
      try {
        const found = await this.#look(sent, 0, signal)
        const next = gather(found.hits, undefined)
        const same = next.findIndex((hit) => at && hitKey(hit) === hitKey(at))
        this.#set({ ...found, hits: next, active: Math.max(0, same) })
        this.#watch(sent)
      } catch {
        // What is shown stays; the next search says what is wrong.
      }
    }, afterIndexed)
  }

  async #names(): Promise<void> {
    const { signal } = this.#begin()
    try {
      const { tools, labels, agents, limit } = await this.#app.api.search('', signal)
      this.#set({ tools, labels, agents, limit })
    } catch {
      // A search that is asked says what is wrong.
    }
  }

  /** Reads a page, and goes on while there is nothing on it. */
  async #look(sent: string, from: number, signal: AbortSignal) {
    let before = from
    for (let pages = 1; ; pages++) {
      const { fault: indexFault, ...found } = await this.#app.api.search(
        before ? `${sent}&before=${before}` : sent,
        signal,
      )
      if (found.hits.length > 0 || found.before === 0 || pages === emptyPages) return { ...found, indexFault }
      before = found.before
    }
  }

  #begin(): AbortController {
    this.#asking?.abort()
    this.#asking = new AbortController()
    return this.#asking
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#asking?.abort()
  }

  #set(change: Partial<SearchState>): void {
    this.state.update((before) => ({ ...before, ...change }))
  }
}
