import { useEffect } from 'react'
import { useApp } from '../../state/app'
import { labelOf } from '../../state/rows'
import type { RunView, ThreadState, ThreadStore } from '../../state/threadStore'
import { count, counted } from '../../ui/format'

/** How often ended calls are counted, in ms. */
const interval = 1000

/** Tells a screen reader what happened, never what streams. */
export function useAnnouncements(store: ThreadStore): void {
  const { announcer } = useApp()
  useEffect(() => {
    let before = store.state.get()
    return store.state.subscribe(() => {
      const now = store.state.get()
      for (const sentence of changes(before, now)) announcer.say(sentence)
      before = now
    })
  }, [store, announcer])

  useEffect(() => {
    const counter = new EndedCalls()
    const whole = () => store.state.get().phase === 'ready' && !store.state.get().partial
    if (whole()) counter.look(store.liveRuns.at(-1))
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      if (!whole()) return
      const words = counter.look(store.liveRuns.at(-1))
      if (words) announcer.say(words)
    }
    const stop = store.subscribe(() => {
      timer ??= setTimeout(look, interval)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store, announcer])
}

/** What is to be said when a thread changed. */
export function changes(before: ThreadState, now: ThreadState): string[] {
  if (before.phase !== 'ready') return []
  const said = now.waiting
    .filter(({ call }) => !before.waiting.some((each) => each.call.approvalId === call.approvalId))
    .map(({ call }) => `${labelOf(call)} needs approval`)
  if (now.status === 'running' && now.live !== before.live) said.push('The agent started')
  if (before.live && now.status === 'completed') said.push('The agent replied')
  if (before.live && now.status === 'cancelled') said.push('The run was stopped')
  return said
}

/** Counts the calls of the newest run that ended since it was last looked at. */
export class EndedCalls {
  #looked = false
  #runId: string | undefined
  #ended = 0
  #failed = 0

  /** What is to be said of them; undefined when none ended. What had ended at the first look is not news. */
  look(run: RunView | undefined): string | undefined {
    if (run?.id !== this.#runId) [this.#runId, this.#ended, this.#failed] = [run?.id, 0, 0]
    let [ended, failed] = [0, 0]
    for (const call of run?.transcript.calls.values() ?? []) {
      if (call.state === 'failed') failed++
      if (call.endedAt !== undefined) ended++
    }
    const [more, worse] = [ended - this.#ended, failed - this.#failed]
    ;[this.#ended, this.#failed] = [ended, failed]
    if (!this.#looked) {
      this.#looked = true
      return undefined
    }
    return more > 0 ? `${counted(more, 'call')} finished${worse > 0 ? `, ${count(worse)} failed` : ''}` : undefined
  }
}
