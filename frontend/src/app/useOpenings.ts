import { useEffect } from 'react'
import type { App } from '../state/app'
import { ApiError, messageOf } from '../transport/api'
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
      void app.threads.refresh()
      app.router.go({ kind: 'thread', threadId, moment })
      return
    }
    case 'server':
      offer(app, opening.address)
      return
    case 'fault':
      toast(`Nothing was opened: ${opening.fault}.`, 'err')
      return
    default:
      opening satisfies never
  }
}

/** Opens the form that attaches a server with its address in it. A form that is open already is left alone until it is closed. */
function offer(app: App, address: string): void {
  const forms = [app.setUp, app.share]
  if (forms.every((form) => form.get() === undefined)) {
    app.over.set(undefined)
    app.inboxOpen.set(false)
    app.setUp.set({ kind: 'attach', address })
    return
  }
  toast('A link asks to attach a server: its form opens once you close what is open.')
  const stops = forms.map((form) =>
    form.subscribe(() => {
      if (forms.some((each) => each.get() !== undefined)) return
      for (const stop of stops) stop()
      offer(app, address)
    }),
  )
}
