import { useState } from 'react'
import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { labelOf } from '../../state/rows'
import { useThread } from '../../state/useThread'
import type { Decision } from '../../transport/answers'
import { ApiError, messageOf } from '../../transport/api'
import { toast } from '../../ui/toasts'

export interface Deciding {
  /** Sends a decision; true once it was taken. */
  decide(decision: Omit<Decision, 'argumentsHash'>): Promise<boolean>
  busy: boolean
  /** Why the server refused, in its words. */
  error?: string
  /** Why nothing can be decided now. */
  disabledBecause?: string
}

/** Decides a call that waits, for the arguments that are on the screen. */
export function useDeciding(call: Call): Deciding {
  const app = useApp()
  const store = useThread()
  const connection = useCell(app.connection)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const expired = call.approval?.expiresAt !== undefined && call.approval.expiresAt <= Date.now()
  const disabledBecause = expired
    ? 'The time to decide is over.'
    : connection.state === 'lost' || connection.state === 'refused'
      ? 'Decisions need the connection, which is lost.'
      : undefined
  const decide: Deciding['decide'] = async (decision) => {
    if (!call.approvalId || busy) return false
    setBusy(true)
    setError(undefined)
    try {
      const argumentsHash = call.approval?.argumentsHash ?? call.argumentsHash
      await app.api.decide(call.approvalId, { ...decision, argumentsHash })
      app.announcer.say(`${labelOf(call)} ${decision.approved ? 'approved' : 'denied'}`)
      void store.refresh()
      return true
    } catch (cause) {
      if (cause instanceof ApiError && (cause.status === 409 || cause.status === 404)) {
        toast(`${labelOf(call)}: ${cause.message}`, 'err')
        void store.refresh()
      } else setError(messageOf(cause))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { decide, busy, error, disabledBecause }
}
