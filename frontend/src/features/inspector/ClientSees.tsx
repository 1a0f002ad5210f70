import { useCallback } from 'react'
import { decode, isWireError } from '../../protocol/events'
import { apply, type Call, newTranscript } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import type { RunView } from '../../state/threadStore'
import { Keep } from '../../ui/kept'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'
import { statusOf } from '../call/status'
import { Blocks, ResultBlock } from '../details/Blocks'
import { CallArguments } from './CallArguments'
import { callOf } from './CallTab'
import { Answered, Empty, Section } from './parts'
import { useAnswer } from './useAnswer'

/** What a client made for users gets of the call: the server's own view of the run for one, up to the moment that is shown. */
export function ClientSees({ run, call }: { run: RunView; call: Call }) {
  const { api } = useApp()
  const { version } = call
  const { last } = run.transcript
  const ask = useCallback(
    async (signal: AbortSignal) => {
      void version // asks again when the call has moved on
      const { events } = await api.userEvents(run.id, signal)
      const seen = newTranscript()
      for (const { seq, raw } of events) {
        if (seq > last || !raw.includes(call.id)) continue
        const frame = decode(raw, seq)
        if (!isWireError(frame)) apply(seen, frame)
      }
      return callOf(seen, call.id)
    },
    [api, run.id, call.id, version, last],
  )
  const asked = useAnswer(`${run.id} ${call.id}`, ask)
  return (
    <Section title="What a user-facing client sees">
      <Answered asked={asked} what="The view of a user-facing client">
        {(seen) => (seen ? <Seen call={seen} /> : <Empty>Such a client hears nothing of this call.</Empty>)}
      </Answered>
    </Section>
  )
}

function Seen({ call }: { call: Call }) {
  const look = call.presentation
  const { word, tone } = statusOf(call)
  return (
    <>
      <div className="flex items-center gap-2 rounded-block border border-border bg-bg px-3 py-2 text-small">
        <ToolIcon name={look?.icon} className="text-muted" />
        <span className="shrink-0 font-semibold">
          <Verbatim text={look?.label || call.toolName} />
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-code text-muted">
          <Verbatim text={look?.detail ?? ''} />
        </span>
        {look?.summary && (
          <span className="shrink-0 text-muted">
            <Verbatim text={look.summary} />
          </span>
        )}
        <span className={`shrink-0 ${tone}`}>{word}</span>
      </div>
      {call.error !== undefined && (
        <p className="text-small">
          <Verbatim text={call.error} />
        </p>
      )}
      <Keep name="user">
        {call.proposedText.trim() === '{}' ? (
          <p className="text-small text-muted">No arguments are sent.</p>
        ) : (
          <CallArguments call={call} />
        )}
        {call.resultText !== undefined && call.error === undefined && (
          <ResultBlock json={call.resultText} title="Result" />
        )}
        {call.detailsText !== undefined && <Blocks detailsText={call.detailsText} />}
      </Keep>
      <p className="text-small text-muted">
        A user-facing client is shown labels, states and answers. Arguments, results, details and the text of errors
        stay with the operator, unless the server's policy shows them.
      </p>
    </>
  )
}
