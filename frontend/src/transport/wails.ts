import { type Fields, isFields, list, number, text } from './decode'
import { ring } from './ring'
import { type Closing, type Host, type Notifying, type Opening, request, type Transport } from './transport'

/** What Wails puts into its window: the bound methods by package and type, and its runtime. */
interface Bound {
  /** Begins in the folder, where it is there. */
  PickFolder(start: string): Promise<string>
  OpenExternal(url: string): Promise<void>
  /** Gives the notification's id; a click on it comes as the event "notification" with that id. */
  Notify(title: string, body: string): Promise<string>
  /** False when the dialog was closed. */
  SaveFile(name: string, base64Content: string): Promise<boolean>
  SetTheme(theme: string): Promise<void>
  /** Shows the data folder in the desktop's file manager. */
  OpenDataFolder(): Promise<void>
  /** What was opened since it was last asked; the event "opening" says that there may be more. */
  Openings(): Promise<unknown>
  Zoom(): Promise<number>
  SetZoom(percent: number): Promise<void>
  /** Shows menus in the system's menu bar; which entry was chosen comes as the event "menu" with its id. */
  SetMenu(menus: unknown): Promise<void>
  Close(): Promise<void>
  /** Says that the question of the event "closing" is on the screen. */
  Asking(): Promise<void>
  Quit(): Promise<void>
}

interface WailsRuntime {
  EventsOn(name: string, callback: (payload: unknown) => void): () => void
}

declare global {
  interface Window {
    go?: Record<string, { App?: Bound } | undefined>
    runtime?: WailsRuntime
  }
}

/** The transport of the desktop window, or undefined in a browser. */
export function wailsTransport(window: Pick<Window, 'go' | 'runtime'>): Transport | undefined {
  const { runtime } = window
  const app = Object.values(window.go ?? {}).find((each) => each?.App)?.App
  if (!runtime || !app) return undefined
  return {
    host: host(app, runtime),
    request,
    listen(onRing, onConnection) {
      onConnection({ state: 'open' })
      return runtime.EventsOn('doorbell', (payload) => {
        if (isFields(payload)) onRing(ring(payload))
      })
    },
    retry: () => undefined,
  }
}

function host(app: Bound, runtime: WailsRuntime): Host {
  const report = (what: string) => (cause: unknown) => console.warn(`${what} did not work`, cause)
  return {
    pickFolder: (start) => app.PickFolder(start),
    openExternal: (url) => void app.OpenExternal(url).catch(report('Opening an address')),
    openDataFolder: () => app.OpenDataFolder(),
    notifying: notifying(app, runtime, report('A notification')),
    saveFile: async (name, content) => app.SaveFile(name, await base64(content)),
    closing: closing(app, runtime, report('Closing the window')),
    openings: {
      take: async () => list({ openings: await app.Openings() }, 'openings', opening),
      onMore: (listener) => runtime.EventsOn('opening', listener),
    },
    zoom: {
      read: () => app.Zoom(),
      write: (percent) => void app.SetZoom(percent).catch(report('Remembering the size of the page')),
    },
    // Only a Mac has a menu bar that is not in the window: a bar of GTK or Windows would follow neither the page's theme nor its state.
    ...(/^Mac/.test(navigator.platform) && {
      menuBar: {
        show: (menus) => void app.SetMenu(menus).catch(report('Showing the menu')),
        onChosen: (listener) => runtime.EventsOn('menu', (id) => typeof id === 'string' && listener(id)),
      },
    }),
    link: (hash) => `callboard://${hash.replace(/^#\//, '')}`,
    setTheme: (theme) => void app.SetTheme(theme).catch(report('Setting the theme')),
  }
}

/** The desktop's own notifications. The window itself comes to the front when one is clicked. */
function notifying(app: Bound, runtime: WailsRuntime, report: (cause: unknown) => void): Notifying {
  const clicks = new Map<string, () => void>()
  runtime.EventsOn('notification', (id) => {
    if (typeof id === 'string') clicks.get(id)?.()
  })
  return {
    onAtFirst: true,
    permission: () => 'granted',
    ask: async () => undefined,
    show: ({ title, body, onClick }) => void app.Notify(title, body).then((id) => clicks.set(id, onClick), report),
  }
}

/** The question before the window closes: the event "closing" brings how many runs are live. */
function closing(app: Bound, runtime: WailsRuntime, report: (cause: unknown) => void): Closing {
  return {
    close: () => void app.Close().catch(report),
    onAsked: (ask) =>
      runtime.EventsOn('closing', (runs) => {
        if (typeof runs !== 'number') return
        ask(runs)
        void app.Asking().catch(report)
      }),
    quit: () => void app.Quit().catch(report),
  }
}

function opening(value: Fields): Opening {
  const [threadId, runId, server] = [text(value, 'threadId'), text(value, 'runId'), text(value, 'server')]
  if (threadId) return { kind: 'thread', threadId, ...(runId && { moment: { runId, seq: number(value, 'seq') } }) }
  if (server) return { kind: 'server', address: server }
  return { kind: 'fault', fault: text(value, 'fault') }
}

/** The bytes of a blob in base64. */
async function base64(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer())
  const pieces: string[] = []
  // In pieces that are whole in base64: a call takes only so many arguments.
  for (let from = 0; from < bytes.length; from += 30_000) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + 30_000))))
  }
  return pieces.join('')
}
