import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { Cell, useCell } from '../../state/cell'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { waitsInside } from '../call/status'

/** One try of a tool: a run of the thread of its tries. */
export interface Try {
  run: RunView
  /** The arguments' text, as it was sent. */
  text: string
  /** Absent before the call, and in a run whose message was none. */
  call?: Call
}

/** The thread of a tool's tries, once there is one; undefined before that. */
export function useTries(threadId: string, there: boolean): ThreadStore | undefined {
  const app = useApp()
  const [store, setStore] = useState<ThreadStore>()
  useEffect(() => {
    if (!there) return
    setStore(app.open(threadId))
    return () => {
      app.leave(threadId)
      setStore(undefined)
    }
  }, [app, threadId, there])
  return store?.threadId === threadId ? store : undefined
}

/** The try that has not ended, if there is one. */
export function useLive(store: ThreadStore | undefined): RunView | undefined {
  return useCell(store?.state ?? nothing).live
}

const nothing = new Cell<{ live?: RunView }>({})

/** The tries, the newest first, as they are now: renders again for every change of one. */
export function useTryList(store: ThreadStore): Try[] {
  useCell(store.state)
  useSyncExternalStore(store.subscribe, () =>
    store.liveRuns.reduce((sum, { transcript }) => sum + transcript.version, 0),
  )
  return store.liveRuns.map(tryOf).reverse()
}

/** The calls of a try that wait for a decision: its own, or those of an agent that works in it. */
export function askedIn({ run, call }: Try): Call[] {
  if (!call || call.own.settled) return []
  if (!waitsInside(call)) return [call]
  return [...run.transcript.calls.values()].filter(
    (each) => each.parentToolCallId !== undefined && each.state === 'waiting' && !waitsInside(each),
  )
}

function tryOf(run: RunView): Try {
  const { items, calls } = run.transcript
  const message = items.find((item) => item.kind === 'message')
  const call = items.find((item) => item.kind === 'call')
  return { run, text: message?.kind === 'message' ? message.text : '', call: call && calls.get(call.id) }
}
