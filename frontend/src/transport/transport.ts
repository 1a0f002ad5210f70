/** A run has more events: nothing else, and possibly late or twice. */
export interface Ring {
  runId: string
  threadId: string
  last: number
  status: string
  /** Why a run stopped whose end could not be stored. */
  error?: string
  /** While it lasts, what keeps a run on an attached server from being read on. */
  notice?: string
  /** The thread is gone; the ring is of none of its runs. */
  deleted?: boolean
}

/** Whether rings arrive. Times are Unix ms. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'lost'; since: number; retryAt: number; reason: string }
  | { state: 'refused'; reason: string }

/** Whether nothing can be asked now: a bar over the window says so, and no answer that failed for it has to. */
export function isLost({ state }: Connection): boolean {
  return state === 'lost' || state === 'refused'
}

export interface Answer {
  status: number
  text: string
  /** What the answer is called as a file, where it is one. */
  fileName?: string
}

/** What a notification of the desktop says, and what a click on it does. */
export interface Notice {
  title: string
  body: string
  /** A second notice of one tag takes the place of the first. */
  tag: string
  onClick: () => void
}

/** Notifications of the desktop. */
export interface Notifying {
  /** They are on until somebody switches them off. */
  readonly onAtFirst: boolean
  permission(): 'default' | 'granted' | 'denied'
  /** Asks the person; afterwards permission tells the answer. */
  ask(): Promise<void>
  show(notice: Notice): void
}

/** What a link or a file that was opened leads to; or why to nothing, as a sentence. */
export type Opening =
  | { kind: 'thread'; threadId: string; moment?: { runId: string; seq: number } }
  | { kind: 'server'; address: string }
  | { kind: 'fault'; fault: string }

/** Links and files the desktop gave the window to open. */
export interface Openings {
  /** Gives each once. */
  take(): Promise<Opening[]>
  /** Hears that there may be more, until the returned function is called. */
  onMore(listener: () => void): () => void
}

/** How large the page is, in percent, as the window remembers it. */
export interface Zoom {
  read(): Promise<number>
  write(percent: number): void
}

/** An entry of the system's menu bar. */
export interface MenuBarEntry {
  id: string
  name: string
  /** "Ctrl+Shift+O", where Ctrl is Cmd on a Mac; absent where none acts wherever the focus is. */
  key?: string
  enabled: boolean
  checked?: boolean
}

/** The system's own menu bar, which takes the keys of its entries before the page does. */
export interface MenuBar {
  /** Shows menus: each a name, and parts of entries. */
  show(menus: readonly { name: string; parts: readonly (readonly MenuBarEntry[])[] }[]): void
  /** Hears which entry was chosen, until the returned function is called. */
  onChosen(listener: (id: string) => void): () => void
}

/** A window that does not close over live runs unasked. */
export interface Closing {
  /** Closes the window, which asks first where runs are live. */
  close(): void
  /** Hears how many runs are live when the window is to close, until the returned function is called. */
  onAsked(ask: (runs: number) => void): () => void
  /** Closes the window and stops the runs. */
  quit(): void
}

/** What only the machine the page runs on can do. Absent members are not possible here. */
export interface Host {
  /** Asks for a folder in the system's own dialog; an empty string when it was closed. */
  pickFolder?: (start: string) => Promise<string>
  /** Opens an address outside the window. */
  openExternal: (url: string) => void
  /** Shows the data folder in the desktop's file manager. */
  openDataFolder?: () => Promise<void>
  notifying?: Notifying
  /** Asks where to save a file and writes it; false when the dialog was closed. */
  saveFile?: (name: string, content: Blob) => Promise<boolean>
  setTheme?: (theme: 'light' | 'dark') => void
  closing?: Closing
  openings?: Openings
  /** Absent where the page shows its menu itself. */
  menuBar?: MenuBar
  zoom?: Zoom
  /** The address that leads from outside to a place in the window, which the page's own address names by its hash. */
  link?: (hash: string) => string
}

/** The way to a Studio: requests, and the word that there is more to read. */
export interface Transport {
  readonly host: Host
  /** Sends a request to a path under /api: JSON, or a file as it is. It rejects only when no answer came. */
  request(method: string, path: string, body?: string | Blob, signal?: AbortSignal): Promise<Answer>
  /** Hears rings and the state of the connection until the returned function is called. */
  listen(onRing: (ring: Ring) => void, onConnection: (c: Connection) => void): () => void
  /** Tries a lost connection again at once. */
  retry(): void
}

/** fetch under /api, the same for both transports. */
export async function request(
  method: string,
  path: string,
  body?: string | Blob,
  signal?: AbortSignal,
): Promise<Answer> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (typeof body === 'string') headers['Content-Type'] = 'application/json'
  // As bytes: the desktop's window hands over no file.
  const bytes = body instanceof Blob ? await body.arrayBuffer() : body
  const response = await fetch(`/api${path}`, { method, headers, body: bytes, signal, cache: 'no-store' })
  return {
    status: response.status,
    text: await response.text(),
    fileName: fileNameOf(response.headers.get('Content-Disposition') ?? ''),
  }
}

function fileNameOf(disposition: string): string | undefined {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1]
  return encoded ? decodeURIComponent(encoded) : /filename="?([^";]+)/i.exec(disposition)?.[1]
}
