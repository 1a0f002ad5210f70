import { type JsonNode, members, parseJson, stringValue } from '../../protocol/json'
import type { Condition } from '../../transport/rules'

/** What a rule asks of one argument of the call it is made from. */
export interface Choice {
  path: string
  value: JsonNode
  mode: 'equals' | 'pattern' | 'any'
  pattern: string
}

/** The arguments of a call, each of which must stay as it is until something else is chosen. */
export function choicesOf(argumentsText: string): Choice[] {
  const root = parseJson(argumentsText.trim() || '{}')
  if ('message' in root) return []
  return members(root).map(({ key, value }) => ({
    path: key,
    value,
    mode: 'equals',
    pattern: value.kind === 'string' ? stringValue(value.text) : '',
  }))
}

export function conditionsOf(choices: readonly Choice[]): Condition[] {
  const conditions: Condition[] = []
  for (const { path, value, mode, pattern } of choices) {
    if (mode === 'equals') conditions.push({ path, op: 'equals', value: value.text })
    if (mode === 'pattern') conditions.push({ path, op: 'pattern', value: pattern })
  }
  return conditions
}

const hour = 3_600_000

/** For how long a rule may hold, in ms; undefined is for ever. */
export const spans = [
  { value: 'hour', label: 'One hour', ms: hour },
  { value: 'day', label: 'One day', ms: 24 * hour },
  { value: 'week', label: 'One week', ms: 7 * 24 * hour },
  { value: 'month', label: '30 days', ms: 30 * 24 * hour },
  { value: 'ever', label: 'Until it is deleted', ms: undefined },
] as const

/** The end of a span that begins now, in Unix ms. */
export function endOf(span: string, now: number): number | undefined {
  const ms = spans.find((each) => each.value === span)?.ms
  return ms === undefined ? undefined : now + ms
}
