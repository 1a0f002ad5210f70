import type { Call } from '../../protocol/transcript'
import { count, duration } from '../../ui/format'
import { statusOf } from '../call/status'
import type { Sum } from './figures'

/** What stands for a figure nobody told. */
export const unknown = 'unknown'

export function countWord(n: number | undefined): string {
  return n === undefined ? unknown : count(n)
}

export function durationWord(ms: number | undefined): string {
  return ms === undefined ? unknown : duration(ms)
}

/** A sum; one that is known only in part says that it is at least so much. */
export function sumWord({ value, partial }: Sum, word: (n: number | undefined) => string): string {
  return partial ? `≥ ${word(value)}` : word(value)
}

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 })
const fine = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 })

/** US dollars: "$12.30", "$0.00214". */
export function dollars(n: number | undefined): string {
  if (n === undefined) return unknown
  return n > 0 && n < 1 ? fine.format(n) : cents.format(n)
}

/** "41.3 per s". */
export function rateWord(perSecond: number | undefined): string {
  if (perSecond === undefined) return unknown
  return `${perSecond < 100 ? perSecond.toFixed(1) : count(Math.round(perSecond))} per s`
}

/** The state of a call in one word: the status word without what its result says, unless that is a warning. */
export function stateWord(call: Call): string {
  if (call.state === 'waiting') return 'waiting'
  return call.state === 'done' && !call.presentation?.tone ? 'done' : statusOf(call).word
}

/** Why a call never ran, in words. */
export function dropWords(call: Call): string {
  switch (call.dropReason) {
    case 'incomplete':
      return 'Its arguments never came complete: the answer was cut off or taken back.'
    case 'discarded':
      return 'It was complete, but its turn did not keep it, so that it never ran.'
    default:
      return 'No cause was told.'
  }
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** The time of day to the millisecond: "12:04:31.120". */
export function exactMoment(at: number | undefined): string {
  return at === undefined || at === 0 ? unknown : clock.format(at)
}
