import type { Ref } from 'react'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { Notice } from '../../ui/Notice'
import { Verbatim } from '../../ui/Verbatim'
import type { CardActions } from '../approvals/ApprovalCard'
import { CallBody } from '../call/CallBody'
import { AppGot } from '../inspector/CallResult'
import { ModelRead } from '../inspector/ModelRead'
import type { Try } from './useTries'

interface Props {
  store: ThreadStore
  shown: Try
  /** Of the card, while it waits. */
  actions: Ref<CardActions>
}

/** What is known of a try: its card or its progress while it is not over, then what each reader gets of it. */
export function TryResult({ store, shown: { run, call }, actions }: Props) {
  if (!call) return <Wordless run={run} />
  if (!call.own.settled) {
    return (
      <div className="flex min-w-0 flex-col gap-2">
        <CallBody call={call} read={false} actions={actions} />
      </div>
    )
  }
  return (
    <div className="grid grid-cols-1 gap-5">
      <AppGot call={call} brief />
      <ModelRead store={store} run={run} call={call} byHand />
    </div>
  )
}

/** A run without a call: it has not come to it, it failed, or its message was none that makes one. */
function Wordless({ run: { transcript, fault } }: { run: RunView }) {
  const said = transcript.items.find((item) => item.kind === 'text')
  const failed = fault ?? transcript.error?.message
  if (failed) {
    return (
      <Notice tone="err">
        <Verbatim text={failed} />
      </Notice>
    )
  }
  return (
    <p className="text-small text-muted break-spaces">
      <Verbatim text={said?.kind === 'text' ? said.text : 'The call has not begun.'} />
    </p>
  )
}
