import { useSyncExternalStore } from 'react'
import type { Call, Transcript } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { labelOf } from '../../state/rows'
import { Button } from '../../ui/Button'
import { Keep } from '../../ui/kept'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'
import { statusOf } from '../call/status'
import { CallArguments } from './CallArguments'
import { AppGot } from './CallResult'
import { ClientSees } from './ClientSees'
import { DroppedCall } from './DroppedCall'
import type { TabProps } from './Inspector'
import { ModelRead } from './ModelRead'
import { Empty, Facts } from './parts'
import { stateWord } from './words'

/** A call: what was proposed, decided and run, and what each side got of it. */
export function CallTab({ store, run, selected }: TabProps) {
  const { transcript } = run
  const callId = selected?.callId
  useSyncExternalStore(store.subscribe, () => versionOf(transcript, callId))
  if (callId === undefined) return <Empty>Select a call in the thread or on the timeline.</Empty>
  const call = callOf(transcript, callId)
  if (!call) return <Empty>This run has no such call at this moment.</Empty>
  return (
    <div key={call.id} className="@container min-h-0 flex-1 overflow-y-auto">
      <Keep name={`inspector/${run.id}/${call.id}`} flags={store.flags}>
        <div className="flex flex-col gap-5 p-4">
          <Head call={call} />
          {call.state === 'dropped' ? (
            <DroppedCall run={run} call={call} />
          ) : (
            <>
              <CallArguments call={call} />
              <div className="grid grid-cols-1 gap-5 @4xl:grid-cols-3">
                <ModelRead store={store} run={run} call={call} />
                <AppGot call={call} />
                <ClientSees run={run} call={call} />
              </div>
            </>
          )}
        </div>
      </Keep>
    </div>
  )
}

function Head({ call }: { call: Call }) {
  const { inspector } = useApp()
  const { tone } = statusOf(call)
  const events = () => {
    inspector.onlyCall.set(true)
    inspector.tab.set('events')
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <ToolIcon name={call.presentation?.icon} className="text-muted" />
        <h3 className="min-w-0 truncate font-semibold">
          <Verbatim text={labelOf(call)} />
        </h3>
        <span className={`shrink-0 text-small ${tone}`}>{stateWord(call)}</span>
        <span className="flex-1" />
        <Button small tone="ghost" onClick={events}>
          Its events
        </Button>
      </div>
      <Facts
        facts={[
          ['Tool', <Code key="tool" text={call.toolName || 'never announced'} />],
          ['Call', <Code key="id" text={call.id} />],
          ...(call.providerCallId
            ? [['At the provider', <Code key="provider" text={call.providerCallId} />] as [string, React.ReactNode]]
            : []),
          ...(call.parentToolCallId
            ? [['Inside of', <Code key="parent" text={call.parentToolCallId} />] as [string, React.ReactNode]]
            : []),
          ['Turn', call.turn === 0 ? 'not told' : `${call.turn}${call.agentName ? `, ${call.agentName}` : ''}`],
        ]}
      />
    </div>
  )
}

function Code({ text }: { text: string }) {
  return (
    <code className="text-code">
      <Verbatim text={text} />
    </code>
  )
}

/** A call of a run, dropped or not. */
export function callOf(t: Transcript, id: string): Call | undefined {
  return t.calls.get(id) ?? t.dropped.find((call) => call.id === id)
}

function versionOf(t: Transcript, id: string | undefined): string {
  const call = id === undefined ? undefined : callOf(t, id)
  return call ? `${call.state} ${call.version}` : ''
}
