import { useCallback } from 'react'
import { useApp } from '../../state/app'
import type { ThreadStore } from '../../state/threadStore'

/** Goes back to the thread as it is now. */
export function useLeave(store: ThreadStore): () => void {
  const { router } = useApp()
  return useCallback(() => {
    store.live()
    const route = router.route.get()
    if (route.kind === 'thread' && route.moment) router.go({ kind: 'thread', threadId: route.threadId })
  }, [store, router])
}
