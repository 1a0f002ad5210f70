import { useCallback, useState, useSyncExternalStore } from 'react'
import type { Turn } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { isByHand } from '../../transport/attached'
import type { ProviderRequest } from '../../transport/inspection'
import { Button } from '../../ui/Button'
import { counted } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { Select } from '../../ui/Select'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from '../details/BlockFrame'
import { JsonTree } from '../details/JsonTree'
import { Lines } from '../details/Lines'
import { pieceOf } from '../details/screenLines'
import type { TabProps } from './Inspector'
import { Answered, Empty, Section } from './parts'
import { useAnswer } from './useAnswer'
import { exactMoment } from './words'

/** What went to the provider and what came back, byte for byte, for each try of a turn. */
export function RawTab({ store, run, selected }: TabProps) {
  const { api } = useApp()
  const { turns } = run.transcript
  const [chosen, setChosen] = useState<number>()
  const turn = turns.find((each) => each.turn === (chosen ?? selected?.turn)) ?? turns.at(-1)
  const number = turn?.turn ?? 0
  // A turn that goes on is asked for again when a try of it ends.
  const state = useSyncExternalStore(store.subscribe, () => stateOf(turn, turns.length))
  const ask = useCallback(
    async (signal: AbortSignal) => {
      void state
      return number > 0 ? api.requests(run.id, number, signal) : []
    },
    [api, run.id, number, state],
  )
  const asked = useAnswer(`${run.id} ${number}`, ask)
  if (!turn) return <Empty>No turn of this run was told.</Empty>
  if (isByHand(run.agentName)) return <Empty>No model was asked: the call is as a person wrote it.</Empty>
  return (
    <>
      <div className="flex items-center gap-2 border-b border-border px-4 py-2">
        <Select
          label="Turn"
          value={String(number)}
          options={turns.map((each) => ({ value: String(each.turn), label: nameOf(each) }))}
          onChange={(next) => setChosen(Number(next))}
          className="min-w-0 flex-1"
        />
        <Button small busy={asked.busy} onClick={asked.again}>
          Read again
        </Button>
      </div>
      <Answered asked={asked} what="The requests">
        {(requests) =>
          requests.length === 0 ? (
            <Empty>Nothing was kept of what this turn sent and received.</Empty>
          ) : (
            <div className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto p-4">
              {requests.map((request) => (
                <Keep key={request.try} name={`raw/${run.id}/${request.turn}/${request.try}`} flags={store.flags}>
                  <Try request={request} tries={requests.length} failed={turn.retries[request.try]?.reason} />
                </Keep>
              ))}
            </div>
          )
        }
      </Answered>
    </>
  )
}

function nameOf(turn: Turn): string {
  const tries = turn.retries.length > 0 ? `, ${counted(turn.retries.length + 1, 'try', 'tries')}` : ''
  return `Turn ${turn.turn}${turn.model ? `, ${turn.model}` : ''}${tries}`
}

function stateOf(turn: Turn | undefined, turns: number): string {
  return `${turns} ${turn?.retries.length} ${turn?.endedAt}`
}

function Try({ request, tries, failed }: { request: ProviderRequest; tries: number; failed?: string }) {
  const { sent, received, withheld, unread } = request
  const answer = received.map(({ text }) => text).join('')
  const title = tries > 1 ? `Try ${request.try + 1} of ${tries}` : 'Request and answer'
  return (
    <Section title={title} meta={`${request.agentName}, ${exactMoment(request.at)}`}>
      {failed !== undefined && (
        <p className="text-small text-err [overflow-wrap:anywhere]">
          This try failed and was taken back: <Verbatim text={failed} />
        </p>
      )}
      {sent ? (
        <Keep name="sent">
          <BlockFrame title="Request as sent" copyText={sent} file={{ name: 'request.json' }} raw={sent}>
            {(full) => <JsonTree text={sent} full={full} />}
          </BlockFrame>
        </Keep>
      ) : (
        <p className="text-small text-muted">The request was not kept.</p>
      )}
      {unread > 0 && (
        <p className="text-small text-muted">
          {counted(unread, 'place')} of this answer cannot be read as what a model server sends. A secret written in
          pieces could go on there unseen, so [withheld] stands in place of {unread === 1 ? 'it' : 'them'} and of the
          answer's texts.
        </p>
      )}
      {received.length > 0 ? (
        <Keep name="received">
          <BlockFrame
            title="Answer as it came"
            meta={counted(received.length, 'piece')}
            copyText={answer}
            file={{ name: 'answer.txt' }}
            raw={answer}
          >
            {(full) => (
              <Lines
                lines={received}
                full={full}
                textOf={textOf}
                cutLine={cutPiece}
                draw={({ after, text }) => (
                  <div className="flex gap-3 border-b border-border/60 px-3 py-1">
                    <span className="tnum w-20 shrink-0 text-right text-faint">+{(after / 1000).toFixed(3)} s</span>
                    <pre className="min-w-0 flex-1 break-spaces">
                      <Verbatim text={text} />
                    </pre>
                  </div>
                )}
              />
            )}
          </BlockFrame>
        </Keep>
      ) : (
        <p className="text-small text-muted">
          {withheld
            ? 'The answer is kept back: what this agent says is shown once it is checked.'
            : sent
              ? 'No byte of an answer came.'
              : 'The answer was not kept either.'}
        </p>
      )}
    </Section>
  )
}

type Piece = ProviderRequest['received'][number]

const textOf = ({ text }: Piece) => text
const cutPiece = ({ after, text }: Piece, from: number, to: number) => ({ after, text: pieceOf(text, from, to) })
