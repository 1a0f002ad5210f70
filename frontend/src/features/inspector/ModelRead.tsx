import { useCallback } from 'react'
import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import type { RunView, ThreadStore } from '../../state/threadStore'
import type { HistoryMessage } from '../../transport/inspection'
import { count, counted } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { BlockFrame } from '../details/BlockFrame'
import { ImageBlock } from '../details/ImageBlock'
import { PlainLines } from '../details/Lines'
import { cutOf, readMessages } from './history'
import { Answered, Section } from './parts'
import { useAnswer } from './useAnswer'

interface Props {
  store: ThreadStore
  run: RunView
  call: Call
  /** A person made the call: no model has read what came of it, but one would. */
  byHand?: boolean
}

/** What the model reads of a call: the content of its message in the thread's history, as it stands there. */
export function ModelRead({ store, run, call, byHand }: Props) {
  const { api } = useApp()
  const { settled } = call.own
  const key = `${run.id}/${call.id}`
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const messages = settled ? await readMessages(api, store, signal) : undefined
      return { message: messages?.get(key) }
    },
    [api, store, key, settled],
  )
  const asked = useAnswer(`${key} ${settled}`, ask)
  const laterTurn = run.transcript.turns.find(({ turn }) => turn > call.turn)
  return (
    <Section title={byHand ? 'What a model would read' : 'What the model read'}>
      <Answered asked={asked} what="The thread’s history">
        {({ message }) =>
          message ? (
            <Content message={message} sent={byHand ? '' : sentWith(laterTurn?.turn)} />
          ) : (
            <p className="text-small text-muted">{absent(call)}</p>
          )
        }
      </Answered>
    </Section>
  )
}

function sentWith(turn: number | undefined): string {
  return turn ? `, first sent with turn ${turn}` : ', not sent in this run so far'
}

function Content({ message: { content, images }, sent }: { message: HistoryMessage; sent: string }) {
  const cut = cutOf(content)
  return (
    <>
      <p className="text-small text-muted">
        {counted(characters(content), 'character')}
        {sent}.
        {cut && (
          <span className="text-wait">
            {' '}
            Cut: {count(cut.gone)} of {count(cut.total)} characters are not shown to the model.
          </span>
        )}
      </p>
      <Keep name="read">
        <BlockFrame title="Tool message" copyText={content} file={{ name: 'tool-message.txt' }} raw={content}>
          {(full) => <PlainLines text={content || '(empty)'} full={full} />}
        </BlockFrame>
      </Keep>
      {images.length > 0 && (
        <p className="text-small text-muted">Sent as {images.length === 1 ? 'an image' : 'images'} beside it:</p>
      )}
      {images.map(({ hash, mediaType, bytes }, index) => (
        <Keep key={index} name={`image-${index}`}>
          <ImageBlock src={hash} mediaType={mediaType} bytes={bytes} raw={JSON.stringify(hash)} />
        </Keep>
      ))}
    </>
  )
}

function absent(call: Call): string {
  if (!call.own.settled) return 'Nothing yet: the call has no result.'
  if (call.parentToolCallId !== undefined)
    return 'Nothing: a call inside of another is read by whatever made it, not by this thread’s model.'
  return 'The history has no message of this call. If the thread goes on, one is put in: see History.'
}

/** Unicode characters, as the limit counts them. */
function characters(text: string): number {
  let n = 0
  for (const _ of text) n++
  return n
}
