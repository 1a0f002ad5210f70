import { useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { labelOf } from '../../state/rows'
import type { PendingApproval } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { toast } from '../../ui/toasts'

/**
 * Approves the calls that are listed, each by its own hash, once each has been read to its end. One that comes later is not among
 * them, and holds the button back until it was read too.
 */
export function ApproveAll({ approvals }: { approvals: readonly PendingApproval[] }) {
  const app = useApp()
  useCell(app.guard.version)
  const connection = useCell(app.connection)
  const [busy, setBusy] = useState(false)
  const listed = approvals.filter(
    (each) => each.kind === 'approval' && (each.expiresAt === undefined || each.expiresAt > Date.now()),
  )
  const seen = listed.filter((each) => app.guard.hasSeen(each.approvalId)).length
  if (listed.length < 2) return null
  const approve = async () => {
    setBusy(true)
    for (const each of listed) {
      try {
        await app.decide(each.approvalId, { approved: true, argumentsHash: each.argumentsHash })
      } catch (cause) {
        toast(`${labelOf(each)}: ${messageOf(cause)}`, 'err')
      }
    }
    setBusy(false)
  }
  return (
    <div className="flex items-center justify-end gap-3 text-small text-muted">
      {seen < listed.length && (
        <span className="tnum">
          {seen} of {listed.length} read to the end
        </span>
      )}
      <Button
        small
        busy={busy}
        disabled={seen < listed.length || connection.state !== 'open' || app.guard.resting(Date.now())}
        onClick={() => void approve()}
      >
        Approve all {listed.length}
      </Button>
    </div>
  )
}
