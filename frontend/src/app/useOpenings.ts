import { useEffect } from 'react'
import type { App } from '../state/app'
import { ApiError, messageOf } from '../transport/apiError'
import type { Opening } from '../transport/transport'
import { toast } from '../ui/toasts'

/** Shows what links and files lead to that the desktop gave the window to open. None of them does more than show. */
export function useOpenings(app: App): void {
  const { openings } = app.transport.host
  useEffect(() => {
    if (!openings) return
    const take = async () => {
      try {
        for (const opening of await openings.take()) await show(app, opening)
      } catch (cause) {
        toast(`What was opened could not be shown: ${messageOf(cause)}`, 'err')
      }
    }
    void take()
    return openings.onMore(() => void take())
  }, [app, openings])
}

async function show(app: App, opening: Opening): Promise<void> {
  switch (opening.kind) {
    case 'thread': {
      const { threadId, moment } = opening
      try {
        await app.api.thread(threadId)
      } catch (cause) {
        const gone = cause instanceof ApiError && cause.code === 'NOT_FOUND'
        toast(`Nothing was opened: ${gone ? 'there is no such thread here.' : messageOf(cause)}`, 'err')
        return
      }
      inFront(app, 'A thread was opened: it is shown once you close what is open.', () => {
        void app.threads.refresh()
        app.router.go({ kind: 'thread', threadId, moment })
      })
      return
    }
    case 'server': {
      const { address } = opening
      inFront(app, 'A link asks to attach a server: its form opens once you close what is open.', () =>
        app.setUp.set({ kind: 'attach', address }),
      )
      return
    }
    case 'fault':
      toast(`Nothing was opened: ${opening.fault}.`, 'err')
      return
    default:
      opening satisfies never
  }
}

/**
 * Shows something with nothing over it. The settings and what else only lies over the window are closed; a form is left alone, its
 * reader told, and what was to be shown comes once it is closed.
 */
function inFront(app: App, waiting: string, show: () => void): void {
  const inForm = () => app.share.get() !== undefined || (app.setUp.get()?.kind ?? 'settings') !== 'settings'
  const now = () => {
    app.over.set(undefined)
    app.inboxOpen.set(false)
    app.setUp.set(undefined)
    show()
  }
  if (!inForm()) {
    now()
    return
  }
  toast(waiting)
  const stops = [app.setUp, app.share].map((form) =>
    form.subscribe(() => {
      if (inForm()) return
      for (const stop of stops) stop()
      now()
    }),
  )
}
