import { useEffect, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { ThreadStore } from '../../state/threadStore'
import { toast } from '../../ui/toasts'

/** The address follows a view that stands still for so long, in ms: a browser takes only so many changes. */
const settled = 250
/** One that plays is followed this often, in ms. */
const played = 500

/** Keeps the address and the playback of a thread the same: a link opens its moment, and the moment that is shown has its link. */
export function usePlaybackRoute(store: ThreadStore): void {
  const { router, jump } = useApp()
  const route = useCell(router.route)
  const { phase } = useCell(store.state)
  const playback = useCell(store.playback)
  /** The moment the address was last given by the view. */
  const given = useRef('')
  const moment = route.kind === 'thread' && route.threadId === store.threadId ? route.moment : undefined
  const runId = moment?.runId
  const seq = moment?.seq

  useEffect(() => {
    if (phase !== 'ready') return
    if (runId === undefined || seq === undefined) {
      store.live()
      return
    }
    if (given.current === `${runId}/${seq}`) return
    if (store.play(runId, { seq })) return
    toast('This thread has no such run.', 'err')
    router.replace({ kind: 'thread', threadId: store.threadId })
  }, [store, router, phase, runId, seq])

  useEffect(() => {
    if (!playback) {
      given.current = ''
      return
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    let arrived = false
    let due = 0
    const look = () => {
      const { phase, playing } = playback.state.get()
      if (phase === 'ready' && playing && timer !== undefined && due > Date.now()) return
      clearTimeout(timer)
      timer = undefined
      if (phase !== 'ready') return
      due = Date.now() + (playing ? played : settled)
      timer = setTimeout(() => {
        timer = undefined
        const state = playback.state.get()
        const key = state.playing ? undefined : playback.itemKey
        if (!arrived && key?.startsWith('call:')) {
          jump.set({ threadId: store.threadId, runId: playback.run.id, callId: key.slice('call:'.length), quiet: true })
        }
        arrived ||= !state.playing
        given.current = `${playback.run.id}/${state.seq}`
        const { route } = router
        const current = route.get()
        const there = { runId: playback.run.id, seq: state.seq }
        if (current.kind !== 'thread' || current.threadId !== store.threadId) return
        if (current.moment?.runId === there.runId && current.moment.seq === there.seq) return
        const next = { kind: 'thread' as const, threadId: store.threadId, moment: there }
        if (current.moment) router.replace(next)
        else router.go(next)
      }, settled)
    }
    look()
    const stop = playback.state.subscribe(look)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store, router, jump, playback])
}
