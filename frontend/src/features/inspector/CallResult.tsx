import type { ReactNode } from 'react'
import type { Presentation } from '../../protocol/events'
import type { Call } from '../../protocol/transcript'
import { counted } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { Blocks, ResultBlock } from '../details/Blocks'
import { Fetching } from '../details/Fetching'
import { useWhole } from '../details/useWhole'
import { Facts, Section } from './parts'
import { durationWord, exactMoment } from './words'

interface Props {
  call: Call
  /** Without its times, where they stand beside it, and without the null that stands for the result of a failed call. */
  brief?: boolean
}

/** What the application got: the whole result, its details, its presentation. */
export function AppGot({ call: bare, brief }: Props) {
  const whole = useWhole(bare)
  const call = whole.call ?? bare
  const facts: [string, ReactNode][] = []
  if (call.error !== undefined) facts.push(['Error', <Verbatim key="error" text={call.error} />])
  if (call.errorCode !== undefined) facts.push(['Code', <code key="code">{call.errorCode}</code>])
  if (!brief) facts.push(...times(call))
  return (
    <Section title="What the application got">
      {!bare.own.settled && <p className="text-small text-muted">No result has come.</p>}
      <Facts facts={facts} />
      {!whole.call && <Fetching {...whole} />}
      {call.resultText !== undefined && !(brief && call.error !== undefined) && (
        <Keep name="result">
          <ResultBlock json={call.resultText} title="Result" />
        </Keep>
      )}
      {call.detailsText !== undefined && (
        <Keep name="details">
          <Blocks detailsText={call.detailsText} />
        </Keep>
      )}
      {call.presentation && <PresentationFacts presentation={call.presentation} />}
    </Section>
  )
}

function times(call: Call): [string, ReactNode][] {
  const facts: [string, ReactNode][] = []
  if (call.runningAt !== undefined) facts.push(['Began', exactMoment(call.runningAt)])
  if (call.endedAt !== undefined) facts.push(['Ended', exactMoment(call.endedAt)])
  if (call.endedAt !== undefined) facts.push(['Took', durationWord(call.durationMs)])
  if (call.updateCount > 0) facts.push(['Progress', `told ${counted(call.updateCount, 'time')}`])
  return facts
}

function PresentationFacts({ presentation: { label, icon, detail, summary } }: { presentation: Presentation }) {
  const facts: [string, ReactNode][] = [['Label', <Verbatim key="label" text={label} />]]
  if (icon) facts.push(['Icon', <code key="icon">{icon}</code>])
  if (detail) facts.push(['Detail', <Verbatim key="detail" text={detail} />])
  if (summary) facts.push(['Summary', <Verbatim key="summary" text={summary} />])
  return <Facts facts={facts} />
}
