import { useCallback } from 'react'
import { VList } from 'virtua'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { serverOf } from '../../transport/attached'
import type { HistoryMessage, NextRequest } from '../../transport/inspection'
import { Button } from '../../ui/Button'
import { count, counted } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { PlainLines } from '../details/Lines'
import type { TabProps } from './Inspector'
import { Answered, Empty } from './parts'
import { useAnswer } from './useAnswer'

const speakers: Record<HistoryMessage['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
}

/** The thread as the next request will send it, and what had to be repaired for that. */
export function HistoryTab(props: TabProps) {
  const server = serverOf(props.run.agentName)
  if (server) return <Empty>What the next request sends is made by {server}, and known there alone.</Empty>
  return <NextMessages {...props} />
}

function NextMessages({ store }: TabProps) {
  const { api } = useApp()
  const { status, waiting } = useCell(store.state)
  const played = useCell(store.playback) !== undefined
  const turns = store.liveRuns.at(-1)?.transcript.turns.length
  const ask = useCallback(
    async (signal: AbortSignal) => {
      void [status, waiting, turns] // what changes the history
      return api.next(store.threadId, signal)
    },
    [api, store, status, waiting, turns],
  )
  const asked = useAnswer(store.threadId, ask)
  return (
    <Answered asked={asked} what="What comes next">
      {(next) => (
        <>
          <Head next={next} busy={asked.busy} again={asked.again} played={played} />
          {next.messages.length === 0 ? (
            <Empty>The next request sends nothing but its new message.</Empty>
          ) : (
            <VList
              role="group"
              aria-label="Messages"
              tabIndex={0}
              data={next.messages}
              className="min-h-0 flex-1"
              style={{ height: 'auto' }}
            >
              {(message, index) => (
                <Keep key={message.id || index} name={`next/${message.id || index}`} flags={store.flags}>
                  <Message message={message} />
                </Keep>
              )}
            </VList>
          )}
        </>
      )}
    </Answered>
  )
}

interface HeadProps {
  next: NextRequest
  busy: boolean
  again: () => void
  /** The thread is shown as it was. */
  played: boolean
}

function Head({ next, busy, again, played }: HeadProps) {
  const repaired = next.messages.filter((message) => message.repaired !== undefined).length
  return (
    <div className="flex items-start gap-2 border-b border-border px-4 py-2 text-small">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p>
          The next request of <span className="font-semibold">{next.agentName}</span> to{' '}
          {next.model || 'its usual model'} sends {counted(next.messages.length, 'message')},{' '}
          {repaired > 0 ? `${repaired} of them repaired` : 'none of them repaired'}.
        </p>
        {next.cut && (
          <p className="text-wait">
            {counted(next.cut.messages, 'earlier message')} left out: the agent reads at most {count(next.cut.limit)}{' '}
            tokens.
          </p>
        )}
        {played && <p className="text-wait">This is the thread as it is now, not at the moment that is played back.</p>}
        <p className="text-muted">
          {next.tools.length > 0 ? `${counted(next.tools.length, 'tool')}: ${next.tools.join(', ')}` : 'No tools'}
        </p>
      </div>
      <Button small busy={busy} onClick={again}>
        Read again
      </Button>
    </div>
  )
}

function Message({ message }: { message: HistoryMessage }) {
  const { role, content, reasoning, toolCalls, toolCallId, repaired } = message
  return (
    <article aria-label={speakers[role]} className="border-b border-border px-4 py-2 text-small">
      <header className="flex gap-2">
        <span className="font-semibold">{speakers[role]}</span>
        {toolCallId && (
          <code className="min-w-0 truncate text-code text-faint">
            <Verbatim text={toolCallId} />
          </code>
        )}
      </header>
      {repaired !== undefined && <p className="mt-1 text-wait [overflow-wrap:anywhere]">Repaired: {repaired}</p>}
      {reasoning && (
        <div className="-mx-3 text-muted">
          <Keep name="reasoning">
            <PlainLines text={reasoning} />
          </Keep>
        </div>
      )}
      {content && (
        <div className="-mx-3">
          <PlainLines text={content} />
        </div>
      )}
      {toolCalls.map((call) => (
        <div key={call.id} className="py-1">
          <code className="text-code text-muted">
            <Verbatim text={`${call.name} ${call.id}`} />
          </code>
          <div className="-mx-3">
            <Keep name={call.id}>
              <PlainLines text={call.argumentsText} />
            </Keep>
          </div>
        </div>
      ))}
      {!content && toolCalls.length === 0 && <p className="text-muted">Empty</p>}
    </article>
  )
}
