import { momentOf } from '../../state/moments'
import type { Row } from '../../state/rows'
import { useThread } from '../../state/useThread'

/** Shows the thread as it was when a row became what it is. */
export function useGoToMoment(row: Row): () => void {
  const store = useThread()
  return () => {
    const there = momentOf(row)
    if (there) store.play(there.runId, there.moment)
  }
}
