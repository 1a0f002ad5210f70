import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import type { RunView } from '../../state/threadStore'
import { Button } from '../../ui/Button'
import { count, counted } from '../../ui/format'
import { bytesOf } from '../../ui/save'
import { BlockFrame } from '../details/BlockFrame'
import { PlainLines } from '../details/Lines'
import { Facts, Section } from './parts'
import { dropWords, exactMoment } from './words'

/** A call that never ran: why, and what came of its arguments. */
export function DroppedCall({ run, call }: { run: RunView; call: Call }) {
  const { inspector } = useApp()
  const all = run.transcript.dropped
  const at = all.indexOf(call)
  const retries = run.transcript.turns.find(({ turn }) => turn === call.turn)?.retries ?? []
  const retry = retries.find((each) => call.endedAt !== undefined && each.at >= call.endedAt)
  const go = (by: number) => {
    const next = all[(at + by + all.length) % all.length]
    if (next) inspector.selected.set({ runId: run.id, turn: next.turn, callId: next.id })
  }
  return (
    <>
      <Section title="Why it was dropped" meta={call.dropReason}>
        <p className="text-small [overflow-wrap:anywhere]">{dropWords(call)}</p>
        {retry && (
          <p className="text-small text-err [overflow-wrap:anywhere]">
            Its try failed: {retry.reason ?? 'no reason was told'}
          </p>
        )}
        <Facts
          facts={[
            ['Announced', exactMoment(call.startedAt)],
            ['Dropped', exactMoment(call.endedAt)],
          ]}
        />
      </Section>
      <Section title="What came of its arguments" meta={counted(bytesOf(call.proposedText), 'byte')}>
        {call.proposedText ? (
          <BlockFrame
            title="Partial arguments"
            copyText={call.proposedText}
            file={{ name: 'partial-arguments.txt' }}
            raw={call.proposedText}
          >
            {(full) => <PlainLines text={call.proposedText} full={full} />}
          </BlockFrame>
        ) : (
          <p className="text-small text-muted">Nothing of them came.</p>
        )}
      </Section>
      {all.length > 1 && (
        <div className="flex items-center gap-2">
          <p className="tnum flex-1 text-small text-muted">
            {count(at + 1)} of {count(all.length)} dropped in this run
          </p>
          <Button small onClick={() => go(-1)}>
            Previous
          </Button>
          <Button small onClick={() => go(1)}>
            Next
          </Button>
        </div>
      )}
    </>
  )
}
