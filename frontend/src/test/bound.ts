import { vi } from 'vitest'
import { wailsTransport } from '../transport/wails'

/** A page in a window: the bound methods, each of which does nothing, and a function that sends an event of the window. */
export function boundWindow() {
  const events = new Map<string, (payload: unknown) => void>()
  const app = {
    PickFolder: vi.fn(async () => ''),
    OpenExternal: vi.fn(async () => undefined),
    Notify: vi.fn(async () => ''),
    SaveFile: vi.fn(async () => false),
    SetTheme: vi.fn(async () => undefined),
    OpenDataFolder: vi.fn(async () => undefined),
    Openings: vi.fn(async (): Promise<unknown> => []),
    Zoom: vi.fn(async () => 100),
    SetZoom: vi.fn(async () => undefined),
    SetMenu: vi.fn(async () => undefined),
    Close: vi.fn(async () => undefined),
    Asking: vi.fn(async () => undefined),
    Quit: vi.fn(async () => undefined),
  }
  const runtime = {
    EventsOn: (name: string, callback: (payload: unknown) => void) => {
      events.set(name, callback)
      return () => events.delete(name)
    },
  }
  const transport = wailsTransport({ go: { main: { App: app } }, runtime })
  if (!transport) throw new Error('this is no window')
  return { app, events, host: transport.host, emit: (name: string, payload?: unknown) => events.get(name)?.(payload) }
}
