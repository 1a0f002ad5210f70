import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import { type ReactNode, type Ref, useMemo } from 'react'
import { stringValue } from '../../protocol/json'
import type { Call } from '../../protocol/transcript'
import { Icon } from '../../ui/Icon'
import { Keep, useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { ApprovalCard, type CardActions } from '../approvals/ApprovalCard'
import { Arguments, ArgumentsBlock } from '../details/Arguments'
import { Blocks, ResultBlock } from '../details/Blocks'
import { Fetching } from '../details/Fetching'
import { MarkdownBlock } from '../details/MarkdownBlock'
import { Reads } from '../details/Reads'
import { useWhole } from '../details/useWhole'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { GrowingView } from './GrowingView'
import { showsContent } from './progress'
import { statusOf, waitsInside, whoDecided } from './status'

interface Props {
  call: Call
  /** The model went on after this call, so it read what came of it. */
  read: boolean
  /** An agent works in the call: its progress and its result are an answer. */
  speaks?: boolean
  actions?: Ref<CardActions>
}

/** What stands under an open row: what is known of the call in its state, once all of it is here. */
export function CallBody({ call, read, speaks, actions }: Props) {
  const whole = useWhole(call)
  if (!whole.call) return <Fetching {...whole} />
  return (
    <Reads toolName={call.toolName} agentName={call.agentName ?? ''}>
      <Body call={whole.call} read={read} speaks={speaks} actions={actions} />
    </Reads>
  )
}

function Body({ call, read, speaks, actions }: Props) {
  switch (call.state) {
    case 'input':
      return (
        <Box>
          <GrowingView text={call.proposedText} />
        </Box>
      )
    case 'proposed':
    case 'approved':
    case 'dropped':
      return <ArgumentsBlock text={call.argumentsText} />
    case 'waiting':
      return waitsInside(call) ? <AtWork call={call} speaks={speaks} /> : <ApprovalCard call={call} actions={actions} />
    case 'unknown':
      if (call.approval?.kind === 'unknown' && !call.own.settled) {
        return <ApprovalCard call={call} actions={actions} />
      }
      return (
        <>
          <Box>
            <p className="px-3 py-2 text-small text-wait">
              Whether this call did its work is not known:{' '}
              <Verbatim text={call.reason ?? 'the app stopped while it ran'} />.
            </p>
          </Box>
          <Progress call={call} speaks={speaks} />
          <More call={call} />
        </>
      )
    case 'running':
      return <AtWork call={call} speaks={speaks} />
    case 'denied':
    case 'expired':
      return <Refused call={call} />
    case 'failed':
      return (
        <>
          <Failure call={call} read={read} />
          {call.detailsText ? <Blocks detailsText={call.detailsText} /> : <Progress call={call} speaks={speaks} />}
          <More call={call} />
        </>
      )
    case 'cancelled':
      return (
        <>
          {call.reason && (
            <Box>
              <p className="px-3 py-2 text-small text-muted">
                <Verbatim text={call.reason} />
              </p>
            </Box>
          )}
          {call.detailsText ? <Blocks detailsText={call.detailsText} /> : <Progress call={call} speaks={speaks} />}
          <More call={call} />
        </>
      )
    case 'done':
      return (
        <>
          {call.detailsText !== undefined && <Blocks detailsText={call.detailsText} />}
          {call.detailsText === undefined && call.resultText !== undefined && (
            <Said json={call.resultText} title="Result" speaks={speaks} />
          )}
          <More call={call} />
        </>
      )
    default:
      call.state satisfies never
      return null
  }
}

function Box({ children }: { children: ReactNode }) {
  return <div className="min-w-0 overflow-hidden rounded-block border border-border bg-surface">{children}</div>
}

/** What a call tells while it works, or an agent in it does. */
function AtWork({ call, speaks }: Pick<Props, 'call' | 'speaks'>) {
  return (
    <>
      <Progress call={call} speaks={speaks} />
      {call.update ? <More call={call} /> : <ArgumentsBlock text={call.argumentsText} />}
    </>
  )
}

/** The latest progress. Content that its details show as well is not drawn twice. */
function Progress({ call, speaks }: Pick<Props, 'call' | 'speaks'>) {
  const { update } = call
  const twice = useMemo(() => update !== undefined && showsContent(update), [update])
  if (!update) return null
  return (
    <>
      {update.detailsText !== undefined && (
        <Keep name="progress">
          <Blocks detailsText={update.detailsText} tail />
        </Keep>
      )}
      {update.contentText !== undefined && !twice && (
        <Keep name="content">
          <Said json={update.contentText} title="Progress" speaks={speaks} />
        </Keep>
      )}
    </>
  )
}

/** What a call gave: the words of an agent as they stand in a thread, anything else as a value. */
function Said({ json, title, speaks }: { json: string; title: string; speaks?: boolean }) {
  if (!speaks || !json.startsWith('"')) return <ResultBlock json={json} title={title} />
  return <MarkdownBlock text={stringValue(json)} raw={json} title={title} whole={title === 'Progress'} />
}

function Failure({ call, read }: { call: Call; read: boolean }) {
  return (
    <Box>
      <div className="flex gap-2 px-3 py-2 text-small">
        <Icon node={CircleX} className="mt-px text-err" />
        <div className="min-w-0">
          <p className="text-err break-spaces">
            {call.errorCode && <code className="mr-2 font-semibold text-code">{call.errorCode}</code>}
            <Verbatim text={call.error || statusOf(call).word} />
          </p>
          <p className="text-muted">
            {read ? 'The model has read this error.' : 'The model has not read this error yet.'}
          </p>
        </div>
      </div>
    </Box>
  )
}

function Refused({ call }: { call: Call }) {
  return (
    <Box>
      <p className="border-b border-border px-3 py-2 text-small text-deny break-spaces">
        {call.state === 'expired' ? 'Nobody decided in time.' : `Denied by ${whoDecided(call.by)}.`}{' '}
        {call.reason && <Verbatim text={`“${call.reason}”`} />}
      </p>
      <Arguments text={call.proposedText || call.argumentsText} brief />
    </Box>
  )
}

/** What the call was given and what the model reads of it, for who wants to see that too. */
function More({ call }: { call: Call }) {
  const [showArguments, setShowArguments] = useKept(
    'arguments',
    call.state === 'failed' && call.detailsText === undefined,
  )
  const [showResult, setShowResult] = useKept('result', false)
  const result = call.detailsText !== undefined && call.resultText !== undefined && call.resultText !== 'null'
  useSought((wanted) => {
    const [given, proposed] = [call.argumentsText, call.argumentsReplaced ? call.proposedText : '']
    if (holds(call.detailsText, wanted)) return true // it is in what is shown
    if (holds(given, wanted) || holds(proposed, wanted)) setShowArguments(true)
    else if (holds(call.resultText, wanted)) setShowResult(true)
    return true
  })
  return (
    <>
      <div className="flex flex-wrap gap-1">
        <Toggle on={showArguments} onToggle={setShowArguments}>
          Arguments
        </Toggle>
        {result && (
          <Toggle on={showResult} onToggle={setShowResult}>
            Result
          </Toggle>
        )}
        {call.by && call.decidedAt !== undefined && (
          <span className="px-2 py-1 text-small text-faint">
            approved by {whoDecided(call.by)}
            {call.argumentsReplaced && ', edited'}
          </span>
        )}
      </div>
      {showArguments && (
        <>
          <Keep name="given">
            <ArgumentsBlock
              title={call.argumentsReplaced ? 'Arguments it ran with' : 'Arguments'}
              text={call.argumentsText}
            />
          </Keep>
          {call.argumentsReplaced && (
            <Keep name="proposed">
              <ArgumentsBlock title="Arguments as the model wrote them" text={call.proposedText} />
            </Keep>
          )}
        </>
      )}
      {showResult && result && call.resultText !== undefined && (
        <Keep name="read">
          <ResultBlock json={call.resultText} title="Result" />
        </Keep>
      )}
    </>
  )
}

function Toggle({ on, onToggle, children }: { on: boolean; onToggle: (on: boolean) => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => onToggle(!on)}
      className="h-6 rounded-control px-2 text-small text-faint hover:bg-raised hover:text-text aria-pressed:bg-raised aria-pressed:text-text"
    >
      {children}
    </button>
  )
}
