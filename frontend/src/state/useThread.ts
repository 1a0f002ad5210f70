import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Call, Part } from '../protocol/transcript'
import type { ThreadStore } from './threadStore'

export const ThreadContext = createContext<ThreadStore | undefined>(undefined)

/** The store of the thread on the screen. */
export function useThread(): ThreadStore {
  const store = useContext(ThreadContext)
  if (!store) throw new Error('useThread outside of a ThreadContext')
  return store
}

/** Renders again when this call changed, and only then. */
export function useCall(store: ThreadStore, key: string, call: Call): { open: boolean } {
  // The version is doubled to carry whether the row is open in its last bit.
  const snapshot = useSyncExternalStore(
    store.subscribe,
    () => call.version * 2 + (store.folding.isOpen(key, call) ? 1 : 0),
  )
  return { open: snapshot % 2 === 1 }
}

/** Renders again when this part of the answer grew. */
export function usePart(store: ThreadStore, part: Part): void {
  useSyncExternalStore(store.subscribe, () => part.text.length * 2 + (part.open ? 1 : 0))
}
