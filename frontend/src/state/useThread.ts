import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Part } from '../protocol/transcript'
import { Cell, useCell } from './cell'
import { useNow } from './clock'
import type { Playback } from './playback'
import type { CallRow } from './rows'
import type { ThreadStore } from './threadStore'

export const ThreadContext = createContext<ThreadStore | undefined>(undefined)

/** The store of the thread on the screen. */
export function useThread(): ThreadStore {
  const store = useContext(ThreadContext)
  if (!store) throw new Error('useThread outside of a ThreadContext')
  return store
}

/** Whether the row of a call is open. Renders again when the call changed, and only then. */
export function useCall(store: ThreadStore, row: CallRow): boolean {
  // The version is doubled to carry in its last bit whether the row is open.
  const snapshot = useSyncExternalStore(
    store.subscribe,
    () => row.call.version * 2 + (store.folding.isOpen(row) ? 1 : 0),
  )
  return snapshot % 2 === 1
}

const none = new Cell<Playback | undefined>(undefined)

/** The playback of the thread this stands in. What stands in no thread, or in one that is shown live, has none. */
export function usePlayback(): Playback | undefined {
  return useCell(useContext(ThreadContext)?.playback ?? none)
}

/** What keeps the live run of the thread this stands in from being read on, while that lasts. */
export function useNotice(): string | undefined {
  const store = useContext(ThreadContext)
  return useSyncExternalStore(store?.state.subscribe ?? never, () => store?.state.get().notice)
}

/** The time it is in the thread, in Unix ms rounded down to step: in playback that of its event, else as useNow. */
export function useThreadNow(active: boolean, step = 1000): number {
  const store = useContext(ThreadContext)
  const playback = usePlayback()
  const now = useNow(active && !playback, step)
  const then = useSyncExternalStore(store?.subscribe ?? never, () =>
    active && playback ? Math.floor(playback.now / step) * step : 0,
  )
  return then || now
}

const never = () => () => undefined

/** Renders again when this part of the answer grew. */
export function usePart(store: ThreadStore, part: Part): void {
  useSyncExternalStore(store.subscribe, () => part.text.length * 2 + (part.open ? 1 : 0))
}
