import type { Ref } from 'react'
import type { Call } from '../../protocol/transcript'
import { askedOfCall } from './asked'
import { type CardActions, DecisionCard } from './DecisionCard'

export type { CardActions } from './DecisionCard'

interface Props {
  call: Call
  /** The card stands above the composer, not in its row. */
  docked?: boolean
  actions?: Ref<CardActions>
}

/** The card of a call that waits in the open thread. */
export function ApprovalCard({ call, docked, actions }: Props) {
  return <DecisionCard asked={askedOfCall(call)} place={docked ? 'dock' : 'row'} actions={actions} />
}
