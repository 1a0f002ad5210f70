import type { Approval } from '../../protocol/events'
import type { Call } from '../../protocol/transcript'
import { labelOf } from '../../state/rows'
import type { PendingApproval } from '../../transport/answers'

/** What is asked of a person, whether it stands in an open thread or in the list of all that waits. */
export interface Asked {
  /** Absent while the log has not told under which name it can be answered. */
  approvalId?: string
  approval: Approval
  label: string
  agentName: string
}

export function askedOfCall(call: Call): Asked {
  const { approvalId, toolName, presentation, argumentsText, argumentsHash, agentName } = call
  const approval = call.approval ?? {
    toolCallId: call.id,
    toolName,
    description: '',
    sideEffects: [],
    approvalId: approvalId ?? call.id,
    kind: 'approval',
    argumentsText,
    argumentsHash,
    presentation,
  }
  return { approvalId, approval, label: labelOf(call), agentName: agentName ?? '' }
}

export function askedOfPending(pending: PendingApproval): Asked {
  const { approvalId, agentName } = pending
  return { approvalId, approval: pending, label: labelOf(pending), agentName }
}
