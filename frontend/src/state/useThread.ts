import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Part } from '../protocol/transcript'
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

/** Renders again when this part of the answer grew. */
export function usePart(store: ThreadStore, part: Part): void {
  useSyncExternalStore(store.subscribe, () => part.text.length * 2 + (part.open ? 1 : 0))
}
