import type { Price } from '../../transport/answers'

/** A price while it is written. */
export interface Draft {
  key: number
  model: string
  input: string
  cachedInput: string
  output: string
}

let drafted = 0

/** The draft of a price, or of one a model has none of. */
export function draftOf(price: Price | string): Draft {
  drafted++
  if (typeof price === 'string') return { key: drafted, model: price, input: '', cachedInput: '', output: '' }
  const { model, input, cachedInput, output } = price
  return { key: drafted, model, input: String(input), cachedInput: String(cachedInput ?? ''), output: String(output) }
}

/** The prices as they are saved, or what is wrong with one. A draft without any number is left out. */
export function pricesOf(drafts: readonly Draft[]): { prices: Price[] } | { fault: string } {
  const prices: Price[] = []
  for (const draft of drafts) {
    const model = draft.model.trim()
    const texts = [draft.input, draft.cachedInput, draft.output].map((text) => text.trim())
    if (texts.every((text) => text === '')) continue
    const [input, cachedInput, output] = texts.map(amount)
    if (!model) return { fault: 'A price needs the name of its model.' }
    if (prices.some((price) => price.model === model)) return { fault: `${model} has two prices.` }
    if (input === undefined || output === undefined)
      return { fault: `${model} needs a price for input and one for output.` }
    if ([input, cachedInput ?? 0, output].some(Number.isNaN))
      return { fault: `${model}: a price is a number from 0 up, as 1.25.` }
    prices.push({ model, input, output, cachedInput })
  }
  return { prices }
}

/** The number of a text; undefined of an empty one, NaN of what is none. */
function amount(text: string): number | undefined {
  if (text === '') return undefined
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
}
