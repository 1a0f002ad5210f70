import { type ReactNode, useState } from 'react'
import type { Turn } from '../../protocol/transcript'
import type { Price } from '../../transport/answers'
import { Button } from '../../ui/Button'
import { Verbatim } from '../../ui/Verbatim'
import { countOf, priceOf, type RunFigures, type TokenKind, type TurnFigures } from './figures'
import { PricesDialog } from './PricesDialog'
import { countWord, dollars, durationWord, rateWord, sumWord } from './words'

const tokens: [TokenKind, string][] = [
  ['inputTokens', 'Input tokens'],
  ['cachedInputTokens', '  of them cached'],
  ['outputTokens', 'Output tokens'],
  ['reasoningTokens', '  of them reasoning'],
]

interface Props {
  run: RunFigures
  /** The turn that stands beside the run. */
  turn?: TurnFigures
  prices: Price[]
}

/** What the run, and a turn of it, took. What nobody told is unknown. */
export function FigureTable({ run, turn, prices }: Props) {
  const [pricing, setPricing] = useState(false)
  const request = turn?.request
  const usage = request?.turn.usage
  const models = [...new Set(run.turns.flatMap((each) => each.request?.turn.model ?? []))]
  const unpriced = models.filter((model) => !priceOf(model, prices))
  return (
    <>
      <table className="w-full text-small">
        <thead className="text-muted">
          <tr>
            <td />
            <th scope="col" className="pb-1 pl-2 text-right font-medium">
              Run
            </th>
            <th scope="col" className="pb-1 pl-2 text-right font-medium">
              {request ? `Turn ${turn.turn}` : 'Turn'}
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map(([kind, name]) => (
            <Line
              key={kind}
              name={name}
              run={sumWord(run.tokens[kind], countWord)}
              turn={countWord(countOf(usage, kind))}
            />
          ))}
          <Line name="Cost" run={sumWord(run.cost, dollars)} turn={dollars(turn?.cost)} />
          <Line
            name="Time"
            run={durationWord(run.lastedMs)}
            turn={durationWord(turn?.request && turn.to - turn.from)}
          />
          <Line name="Model at work" run={durationWord(run.modelMs)} turn={durationWord(request?.lastedMs)} />
          <Line name="Waited for people" run={durationWord(run.waitedMs)} turn="" />
          <Line name="Time to first token" run="" turn={durationWord(request?.firstTokenMs)} />
          <Line name="Output speed" run="" turn={rateWord(request?.tokensPerSecond)} />
        </tbody>
      </table>
      {request && <TurnNotes turn={request.turn} />}
      <div className="mt-2 flex items-center gap-2 text-small text-faint">
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{note(run, models, unpriced)}</p>
        <Button small tone="ghost" onClick={() => setPricing(true)}>
          Prices…
        </Button>
      </div>
      {pricing && <PricesDialog prices={prices} suggested={unpriced} onClose={() => setPricing(false)} />}
    </>
  )
}

/** What became of a turn that its figures do not say. */
function TurnNotes({ turn: { turn, held, endedAt, retries } }: { turn: Turn }) {
  return (
    <ul className="mt-2 text-small text-muted [overflow-wrap:anywhere] empty:hidden">
      {held && (
        <li>
          Turn {turn}{' '}
          {endedAt === undefined
            ? 'is held back until it is checked.'
            : 'was held back: nothing of it went out before it was checked.'}
        </li>
      )}
      {retries.map(({ at, reason }, i) => (
        <li key={`${at}/${i}`}>
          Try {i + 1} of turn {turn} was taken back: <Verbatim text={reason ?? 'no reason was told'} />
        </li>
      ))}
    </ul>
  )
}

function Line({ name, run, turn }: { name: string; run: ReactNode; turn: ReactNode }) {
  return (
    <tr>
      <th scope="row" className="py-px text-left font-normal whitespace-pre text-muted">
        {name}
      </th>
      <td className="tnum py-px pl-2 text-right">{run}</td>
      <td className="tnum py-px pl-2 text-right">{turn}</td>
    </tr>
  )
}

function note(run: RunFigures, models: string[], unpriced: string[]): string {
  const notes: string[] = []
  if (unpriced.length > 0) notes.push(`No price is set for ${unpriced.join(', ')}.`)
  else if (models.length === 0) notes.push('No model was named, so that there is no price for it.')
  const partial = Object.values(run.tokens).some((sum) => sum.partial)
  if (partial && run.retries > 0) notes.push('≥: what a try that failed used is never told.')
  else if (partial) notes.push('≥: not every turn told its tokens.')
  return notes.join(' ')
}
