import { useCallback } from 'react'
import type { ThreadStore } from '../../state/threadStore'
import { useLeave } from './useLeave'

/** Plays the newest run back, from its end, or goes back to the thread as it is now. */
export function useTogglePlayback(store: ThreadStore): () => void {
  const leave = useLeave(store)
  return useCallback(() => {
    const newest = store.liveRuns.at(-1)
    if (store.playback.get()) leave()
    else if (newest) store.play(newest.id, 'end')
  }, [store, leave])
}
