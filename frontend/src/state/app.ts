import { createContext, useContext } from 'react'
import type { Decision, PendingApproval, ThreadChoice } from '../transport/answers'
import { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import { serverOf } from '../transport/attached'
import type { ToolInfo } from '../transport/rules'
import type { Connection, Ring, Transport } from '../transport/transport'
import { toast, undoable } from '../ui/toasts'
import { Announcer } from './announcer'
import { Bodies } from './bodies'
import { Cell } from './cell'
import { Commands } from './commands'
import { DecisionGuard } from './guard'
import { Inbox } from './inbox'
import { Inspector } from './inspector'
import type { Found, Jump, Led, SetUp, Share } from './leads'
import { Arrivals, Notifications, waitingNotice } from './notifications'
import { Router } from './route'
import { StoredTexts } from './stored'
import { StudioStore } from './studio'
import { ThreadList } from './threadList'
import { ThreadStore } from './threadStore'

/** How long a deleted thread can be brought back, in ms. */
const grace = 10_000

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
  readonly bodies: Bodies
  /** Messages that are sent once the thread's run has completed. */
  readonly queued = new StoredTexts('queued')
  /** What the next new thread is made with, where it differs from the settings. */
  readonly newChoice = new Cell<ThreadChoice>({})
  /** The settings, or the form of a server of models or of tools, while they are open. */
  readonly setUp = new Cell<SetUp | undefined>(undefined)
  /** The dialog for an export or an import while it is open. */
  readonly share = new Cell<Share | undefined>(undefined)
  /** What waited, or was unknown, when the process that serves the window began: a page that is only read again leaves nothing. */
  readonly leftOver = new Cell<PendingApproval[]>([])
  /** A call or a turn to be taken to, once its thread is on the screen; quiet, the focus stays where it is. */
  readonly jump = new Cell<Jump | undefined>(undefined)
  readonly inspector = new Inspector()
  readonly commands = new Commands()
  /** What is on the screen over all else: the search for threads and commands, the keys, or a text on the program itself. */
  readonly over = new Cell<'palette' | 'keyboard' | 'about' | 'licences' | 'readme' | undefined>(undefined)
  /** What a search over all threads led to, until its thread is on the screen. */
  readonly led = new Cell<Led | undefined>(undefined)
  /** The row that was found last. */
  readonly found = new Cell<Found | undefined>(undefined)
  readonly inbox: Inbox
  /** Whether the list of what waits is on the screen. */
  readonly inboxOpen = new Cell(false)
  readonly guard = new DecisionGuard()
  readonly notifications: Notifications
  /** What the search over all threads was asked last, as its address has it. */
  searched = ''
  /** Whether the search was asked for by a command that its page has not followed yet: the reader is going to type. */
  asking = false
  readonly #arrivals = new Arrivals()
  #tools: Promise<ToolInfo[]> | undefined
  #open: ThreadStore | undefined
  #lost = false

  constructor(transport: Transport) {
    this.transport = transport
    this.api = new Api(transport)
    this.bodies = new Bodies((hash) => this.api.body(hash))
    this.threads = new ThreadList(this.api)
    this.studio = new StudioStore(this.api)
    this.inbox = new Inbox(this.api)
    this.notifications = new Notifications(transport.host.notifying)
  }

  /** Begins to listen and reads what the window begins with. The returned function ends it. */
  start(): () => void {
    const stopWatching = this.threads.state.subscribe(() => this.#sendQueued())
    const stopWaiting = this.inbox.state.subscribe(() => this.#waitingChanged())
    const stopState = this.studio.cell.subscribe(() => this.#findLeftOver())
    void this.studio.refresh()
    void this.threads.refresh()
    void this.inbox.refresh()
    const stopListening = this.transport.listen(
      (ring) => this.#ring(ring),
      (connection) => this.#connected(connection),
    )
    return () => {
      stopWatching()
      stopWaiting()
      stopState()
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

  /** Lets go of a thread that is left: it is read anew when it is opened again. */
  leave(threadId: string): void {
    if (this.#open?.threadId !== threadId) return
    this.#open.close()
    this.#open = undefined
  }

  /** Starts a run and shows it. It rejects with the server's words. */
  async send(threadId: string, agentName: string, input: string, denyPending = false): Promise<void> {
    await this.api.startRun(threadId, agentName, input, denyPending)
    void this.threads.refresh()
    if (this.#open?.threadId === threadId) void this.#open.refresh()
  }

  /** Answers a call that waits, in any thread. It rejects with the server's words, and then too reads again what waits. */
  async decide(approvalId: string, decision: Decision): Promise<void> {
    try {
      await this.api.decide(approvalId, decision)
      this.guard.decided(Date.now())
    } finally {
      void this.inbox.refresh()
      void this.threads.refresh()
      void this.#open?.refresh()
    }
  }

  /** A tool of an agent and the schema of its arguments; undefined when it has none of that name. */
  async tool(name: string, agentName: string): Promise<ToolInfo | undefined> {
    const asked = this.#tools
    const find = (all: ToolInfo[]) => all.find((tool) => tool.name === name)
    const server = serverOf(agentName)
    if (server) {
      // One here may have the same name. Who calls a tool by hand is not listed, and its tool is that of an agent who is.
      const beside = this.studio.cell.get().state?.agents.filter((agent) => agent.server === server) ?? []
      for (const name of new Set([agentName, ...beside.map((agent) => agent.name)])) {
        const found = find(await this.api.tools(name))
        if (found) return found
      }
      return undefined
    }
    try {
      this.#tools ??= this.api.tools()
      const found = find(await this.#tools)
      if (found || !asked) return found
      this.#tools = this.api.tools() // a server may have listed it since
      return find(await this.#tools)
    } catch (cause) {
      this.#tools = undefined // the next who asks tries again
      throw cause
    }
  }

  /** Makes a thread with its first message and shows it. It rejects with the server's words. */
  async begin(choice: ThreadChoice, input: string): Promise<void> {
    const { id, agentName } = await this.api.createThread(choice)
    try {
      await this.send(id, agentName, input)
    } catch (cause) {
      // The message is not sent: of the thread that was made for it nothing stays.
      await this.api.deleteThread(id).catch(() => undefined)
      void this.threads.refresh()
      throw cause
    }
    this.newChoice.set({})
    this.router.go({ kind: 'thread', threadId: id })
  }

  /** Plays the demo in a new thread. It rejects with the server's words. */
  async tryDemo(): Promise<void> {
    const { state } = this.studio.cell.get()
    const agentName = state?.agents.find((agent) => !agent.needsModel)?.name
    const draft = this.drafts.of('new')
    await this.begin({ agentName }, state?.demoMessage ?? '')
    if (draft.get() === state?.demoMessage) draft.set('')
  }

  /**
   * Takes the server of a model that was just connected for new threads, and for the next one an agent that speaks with it. It
   * rejects with the server's words.
   */
  async connected(providerId: string): Promise<void> {
    await this.studio.refresh()
    const { agents = [], settings } = this.studio.cell.get().state ?? {}
    const agentName = agents.find((agent) => agent.needsModel)?.name
    const idle = agents.some((agent) => agent.name === settings?.agentName && !agent.needsModel && !agent.server)
    await this.studio.save({ providerId, model: '', ...(idle && { agentName }) })
    this.newChoice.update(({ folder }) => ({ folder, agentName }))
  }

  /**
   * Sends a user's message again in other words: in a new thread with all that stands before it, which is shown. It rejects with
   * the server's words when there is no such thread; a message that was refused in it waits in its composer.
   */
  async resend(threadId: string, messageId: string, input: string): Promise<void> {
    const thread = await this.api.fork(threadId, messageId)
    this.router.go({ kind: 'thread', threadId: thread.id })
    try {
      await this.send(thread.id, thread.agentName, input)
    } catch (cause) {
      this.drafts.of(thread.id).set(input)
      toast(`The message was not sent: ${messageOf(cause)}`, 'err')
    }
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
      if (!this.threads.isHidden(threadId)) return // something was put into it since
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

  /** Shows the search over all threads: for a text, or as it was asked last. */
  search(text?: string): void {
    const asked = text === undefined ? this.searched : new URLSearchParams({ q: text }).toString()
    this.asking = true
    this.router.go({ kind: 'search', asked })
  }

  /** Takes the reader to a text that a search over all threads found. */
  lead(to: Led): void {
    this.led.set(to)
    this.router.go({ kind: 'thread', threadId: to.threadId })
  }

  #ring(ring: Ring): void {
    const wasHidden = this.threads.isHidden(ring.threadId)
    const title = this.threads.titleOf(ring.threadId)
    this.threads.ring(ring)
    this.inbox.ring(ring)
    if (wasHidden && !this.threads.isHidden(ring.threadId)) toast(`“${title}” is not deleted: something was said in it`)
    if (!ring.deleted) this.#open?.ring(ring)
    else if (!wasHidden && this.#open?.threadId === ring.threadId) {
      this.router.go({ kind: 'new' })
      toast(`“${title}” was deleted in another window`)
    }
  }

  #connected(connection: Connection): void {
    this.connection.set(connection)
    if (connection.state === 'lost') this.#lost = true
    if (connection.state !== 'open' || !this.#lost) return
    this.#lost = false
    void this.studio.refresh()
    void this.threads.refresh()
    void this.inbox.refresh()
    void this.#open?.refresh()
  }

  #findLeftOver(): void {
    const openedAt = this.studio.cell.get().state?.openedAt ?? 0
    const left = this.inbox.state.get().approvals.filter((each) => each.kind === 'unknown' || each.since < openedAt)
    if (left.length > 0 || this.leftOver.get().length > 0) this.leftOver.set(left)
  }

  #waitingChanged(): void {
    const { phase, approvals } = this.inbox.state.get()
    if (phase !== 'ready') return
    this.#findLeftOver()
    const arrived = this.#arrivals.look(approvals)
    if (document.hasFocus()) return
    for (const threadId of new Set(arrived.map((each) => each.threadId))) {
      void this.#notify(arrived.filter((each) => each.threadId === threadId))
    }
  }

  /** One notification for what began to wait in a thread while nobody looked. A click on it shows the call and answers nothing. */
  async #notify(calls: PendingApproval[]): Promise<void> {
    const [first] = calls
    if (!first) return
    const find = () => this.threads.state.get().threads.find((thread) => thread.id === first.threadId)
    if (!find()) await this.threads.refresh()
    this.notifications.show(waitingNotice(calls, find()?.title ?? '', () => this.showCall(first)))
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
