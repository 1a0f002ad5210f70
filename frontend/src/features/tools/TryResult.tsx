import type { Ref } from 'react'
import { labelOf } from '../../state/rows'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { Notice } from '../../ui/Notice'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'
import type { CardActions } from '../approvals/ApprovalCard'
import { CallBody } from '../call/CallBody'
import { AppGot } from '../inspector/CallResult'
import { ModelRead } from '../inspector/ModelRead'
import { askedIn, type Try } from './useTries'

interface Props {
  store: ThreadStore
  shown: Try
  /** Of the card, while it waits. */
  actions: Ref<CardActions>
}

/** What is known of a try: its card or its progress while it is not over, then what each reader gets of it. */
export function TryResult({ store, shown, actions }: Props) {
  const { run, call } = shown
  if (!call) return <Wordless run={run} />
  if (!call.own.settled) {
    return (
      <div className="flex min-w-0 flex-col gap-2">
        <CallBody call={call} read={false} actions={actions} />
        {askedIn(shown).map(
          (asked, index) =>
            asked !== call && (
              <section key={asked.id} aria-label={labelOf(asked)} className="flex min-w-0 flex-col gap-2">
                <h3 className="flex items-center gap-2 text-small font-semibold">
                  <ToolIcon name={asked.presentation?.icon} className="text-muted" />
                  <Verbatim text={labelOf(asked)} />
                  <span className="font-normal text-wait">needs approval</span>
                </h3>
                <CallBody call={asked} read={false} actions={index === 0 ? actions : undefined} />
              </section>
            ),
        )}
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
