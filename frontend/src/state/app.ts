import { createContext, useContext } from 'react'
import type { FoundProvider, PendingApproval, Provider, ThreadChoice } from '../transport/answers'
import { Api, messageOf } from '../transport/api'
import type { Connection, Ring, Transport } from '../transport/transport'
import { toast, undoable } from '../ui/toasts'
import { Announcer } from './announcer'
import { Cell } from './cell'
import { Inspector } from './inspector'
import { Router } from './route'
import { StoredTexts } from './stored'
import { StudioStore } from './studio'
import { ThreadList } from './threadList'
import { ThreadStore } from './threadStore'

/** How long a deleted thread can be brought back, in ms. */
const grace = 10_000

export type SetUp = { kind: 'settings' } | { kind: 'provider'; provider?: Provider; found?: FoundProvider }

export interface Jump {
  threadId: string
  runId: string
  callId?: string
  turn?: number
  quiet?: boolean
}

/** Everything the window knows, and what it can do beyond one thread. */
export class App {
  readonly api: Api
  readonly transport: Transport
  readonly connection = new Cell<Connection>({ state: 'connecting' })
  readonly threads: ThreadList
  readonly studio: StudioStore
  readonly router = new Router()
  readonly announcer = new Announcer()
  readonly drafts = new StoredTexts('draft')
  /** Messages that are sent once the thread's run has completed. */
  readonly queued = new StoredTexts('queued')
  /** What the next new thread is made with, where it differs from the settings. */
  readonly newChoice = new Cell<ThreadChoice>({})
  /** The settings, or the form of a model's server, while they are open. */
  readonly setUp = new Cell<SetUp | undefined>(undefined)
  /** What waited, or was unknown, when the window began. */
  readonly leftOver = new Cell<PendingApproval[]>([])
  /** A call or a turn to be taken to, once its thread is on the screen; quiet, the focus stays where it is. */
  readonly jump = new Cell<Jump | undefined>(undefined)
  readonly inspector = new Inspector()
  #open: ThreadStore | undefined
  #lost = false
  readonly #began = Date.now()
  /** How many calls waited in each thread, as of the last list. */
  #waited = new Map<string, number>()

  constructor(transport: Transport) {
    this.transport = transport
    this.api = new Api(transport)
    this.threads = new ThreadList(this.api)
    this.studio = new StudioStore(this.api)
  }

  /** Begins to listen and reads what the window begins with. The returned function ends it. */
  start(): () => void {
    const stopWatching = this.threads.state.subscribe(() => this.#listChanged())
    void this.studio.refresh()
    void this.threads.refresh()
    void this.#readLeftOver()
    const stopListening = this.transport.listen(
      (ring) => this.#ring(ring),
      (connection) => this.#connected(connection),
    )
    return () => {
      stopWatching()
      stopListening()
      this.#open?.close()
    }
  }

  /** The store of a thread; the one opened before is closed. */
  open(threadId: string): ThreadStore {
    if (this.#open?.threadId === threadId) return this.#open
    this.#open?.close()
    this.#open = new ThreadStore(this.api, threadId)
    void this.#open.refresh()
    return this.#open
  }

  /** Starts a run and shows it. It rejects with the server's words. */
  async send(threadId: string, agentName: string, input: string, denyPending = false): Promise<void> {
    await this.api.startRun(threadId, agentName, input, denyPending)
    void this.threads.refresh()
    if (this.#open?.threadId === threadId) void this.#open.refresh()
  }

  /** Goes to a new demo thread with its message typed, not sent. */
  openDemo(): void {
    const { state } = this.studio.cell.get()
    this.newChoice.set({ agentName: state?.agents.find((agent) => !agent.needsModel)?.name })
    this.drafts.of('new').set(state?.demoMessage ?? '')
    this.router.go({ kind: 'new' })
  }

  /** Stops a run, the calls that wait too. */
  stop(runId: string): void {
    this.api.cancelRun(runId).catch((cause: unknown) => toast(`The run was not stopped: ${messageOf(cause)}`, 'err'))
  }

  /** Takes a thread out of the list; it is deleted when its time of grace is over. */
  deleteThread(threadId: string, title: string): void {
    this.threads.hide(threadId)
    const { route } = this.router
    const current = route.get()
    if (current.kind === 'thread' && current.threadId === threadId) this.router.go({ kind: 'new' })
    const restore = () => this.threads.unhide(threadId)
    undoable(`Deleted “${title}”`, grace, restore, () => {
      this.api.deleteThread(threadId).catch((cause: unknown) => {
        restore()
        toast(`“${title}” was not deleted: ${messageOf(cause)}`, 'err')
      })
    })
  }

  /** Unix ms of the newest event of the open thread; 0 when there is none. */
  lastEventAt(): number {
    return this.#open?.state.get().lastAt ?? 0
  }

  /** Opens the thread of a call and goes to its row. */
  showCall(call: { threadId: string; runId: string; toolCallId: string }): void {
    this.jump.set({ threadId: call.threadId, runId: call.runId, callId: call.toolCallId })
    this.router.go({ kind: 'thread', threadId: call.threadId })
  }

  #ring(ring: Ring): void {
    this.threads.ring(ring)
    this.#open?.ring(ring)
  }

  #connected(connection: Connection): void {
    this.connection.set(connection)
    if (connection.state === 'lost') this.#lost = true
    if (connection.state !== 'open' || !this.#lost) return
    this.#lost = false
    void this.studio.refresh()
    void this.threads.refresh()
    void this.#open?.refresh()
  }

  /** Reads what still waits of what waited when the window began. */
  async #readLeftOver(): Promise<void> {
    try {
      const pending = await this.api.approvals()
      this.leftOver.set(pending.filter((each) => each.since < this.#began))
    } catch (cause) {
      console.warn('What waits could not be read', cause)
    }
  }

  #listChanged(): void {
    this.#sendQueued()
    const { phase, threads, query } = this.threads.state.get()
    if (phase !== 'ready' || query) return
    const waits = new Map(threads.map((thread) => [thread.id, thread.pendingApprovals]))
    const before = this.#waited
    this.#waited = waits
    if ([...waits].every(([id, n]) => before.get(id) === n)) return
    if (this.leftOver.get().length > 0) void this.#readLeftOver()
    for (const thread of threads) {
      const n = before.get(thread.id)
      if (n !== undefined && thread.pendingApprovals > n && !document.hasFocus())
        void this.#notify(thread.id, thread.title)
    }
  }

  /** One notification for what began to wait while nobody looked: the thread's title and the call's label, no arguments. */
  async #notify(threadId: string, title: string): Promise<void> {
    const { notify } = this.transport.host
    if (!notify) return
    const labels = await this.api.approvals().then(
      (all) => all.filter((each) => each.threadId === threadId).map((each) => each.label),
      () => [], // the notification says less then
    )
    notify(title || 'Callboard', `Needs approval: ${labels.join(', ') || 'a call'}`)
  }

  /** Sends what was queued for threads whose run has completed. One that failed or was stopped keeps its message. */
  #sendQueued(): void {
    for (const thread of this.threads.state.get().threads) {
      if (thread.status !== 'completed') continue
      const cell = this.queued.of(thread.id)
      const input = cell.get()
      if (!input) continue
      cell.set('')
      this.send(thread.id, thread.agentName, input).catch((cause: unknown) => {
        cell.set(input)
        toast(`The queued message was not sent: ${messageOf(cause)}`, 'err')
      })
    }
  }
}

export const AppContext = createContext<App | undefined>(undefined)

/** The app of this window. */
export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('useApp outside of an AppContext')
  return app
}
