import { useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNotice, usePlayback, useThreadNow } from '../../state/useThread'
import type { Decision } from '../../transport/answers'
import { ApiError, messageOf } from '../../transport/apiError'
import { toast } from '../../ui/toasts'
import type { Asked } from './asked'

export interface Deciding {
  /** Sends a decision; true once it was taken. */
  decide(decision: Omit<Decision, 'argumentsHash'>): Promise<boolean>
  busy: boolean
  /** Why the server refused, in its words. */
  error?: string
  /** Why nothing can be decided now. */
  disabledBecause?: string
  /** The time to decide is over: it can only be denied. */
  expired: boolean
}

/** Decides a call that waits, for the arguments that are on the screen. */
export function useDeciding({ approvalId, approval, label }: Asked): Deciding {
  const app = useApp()
  const connection = useCell(app.connection)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const playback = usePlayback()
  const notice = useNotice()
  const now = useThreadNow(approval.expiresAt !== undefined)
  const expired = approval.expiresAt !== undefined && approval.expiresAt <= now
  const disabledBecause = playback
    ? 'This is playback. Go back to Live to decide.'
    : connection.state === 'lost' || connection.state === 'refused'
      ? 'Decisions need the connection, which is lost.'
      : notice && `Decisions are made where it runs: ${notice}.`
  const decide: Deciding['decide'] = async (decision) => {
    if (!approvalId || busy || disabledBecause) return false
    setBusy(true)
    setError(undefined)
    try {
      await app.decide(approvalId, { ...decision, argumentsHash: approval.argumentsHash })
      app.announcer.say(`${label} ${decision.approved ? 'approved' : 'denied'}`)
      return true
    } catch (cause) {
      if (cause instanceof ApiError && (cause.status === 409 || cause.status === 404)) {
        toast(`${label}: ${cause.message}`, 'err')
      } else setError(messageOf(cause))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { decide, busy, error, disabledBecause, expired }
}

/** What holds back the approval of a call: that it was not read to its end, or that another decision was made just now. */
export function useHeldBack({ approvalId }: Asked): { unseen: boolean; resting: boolean } {
  const { guard } = useApp()
  useCell(guard.version)
  return { unseen: approvalId === undefined || !guard.hasSeen(approvalId), resting: guard.resting(Date.now()) }
}
