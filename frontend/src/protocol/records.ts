import type { Status } from './events'
import { elements, isJsonError, members, parseJson, rawMember, rawMembers, stringValue } from './json'

/** The JSON form of a run's events: each with its number and its own text, byte for byte as the SSE form has it. */
export interface Records {
  events: { seq: number; raw: string }[]
  last: number
  status: Status
}

/**
 * Takes apart the JSON answer of GET /runs/{id}/events. A server that puts each event on a line of its own is read by lines;
 * any other layout is read too. A text that is no such answer is an Error.
 */
export function splitEvents(text: string): Records {
  const lines = byLines(text)
  for (;;) {
    const { done, value } = lines.next()
    if (done) return value ?? byMembers(text)
  }
}

/** The same in steps: it rests between events when it is due. */
export async function splitEventsInSteps(
  text: string,
  steps: { due(): boolean; rest(): Promise<void> },
): Promise<Records> {
  const lines = byLines(text)
  for (;;) {
    const { done, value } = lines.next()
    if (done) return value ?? byMembers(text)
    if (steps.due()) await steps.rest()
  }
}

const opening = '{"events":['
const number = /^\{"seq":(\d{1,15}),/

/** Yields after each event; undefined when the text is not laid out by lines. */
function* byLines(text: string): Generator<undefined, Records | undefined> {
  if (!text.startsWith(opening)) return undefined
  const events: Records['events'] = []
  let at = opening.length
  while (text[at] === '\n' && text[at + 1] === '{') {
    at++
    const lineEnd = text.indexOf('\n', at)
    const end = text[lineEnd - 1] === ',' ? lineEnd - 1 : lineEnd
    const head = number.exec(text.slice(at, at + 32))
    if (head === null || lineEnd < 0 || text[end - 1] !== '}') return undefined
    events.push({ seq: Number(head[1]), raw: `{${text.slice(at + head[0].length, end)}` })
    at = lineEnd
    yield
  }
  const tail = parseJson(`${opening}${text.slice(at)}`)
  if (isJsonError(tail)) return undefined
  const { events: left, last, status } = rawMembers(tail.text, ['events', 'last', 'status'])
  if (left === undefined || elements(left).length > 0) return undefined
  return { events, last: integer(last), status: statusOf(status) }
}

function byMembers(text: string): Records {
  const root = parseJson(text)
  if (isJsonError(root)) throw new Error(`read events: ${root.message}`)
  const { events, last, status } = rawMembers(root.text, ['events', 'last', 'status'])
  if (!events?.startsWith('[')) throw new Error('read events: the answer has none')
  return { events: elements(events).map(record), last: integer(last), status: statusOf(status) }
}

function record(text: string): { seq: number; raw: string } {
  const rest = members({ kind: 'object', text }).filter((member) => member.key !== 'seq')
  const raw = `{${rest.map((member) => `${member.keyText}:${member.value.text}`).join(',')}}`
  return { seq: integer(rawMember(text, 'seq')), raw }
}

function integer(text: string | undefined): number {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : 0
}

function statusOf(text: string | undefined): Status {
  const status = text?.startsWith('"') ? stringValue(text) : ''
  switch (status) {
    case 'running':
    case 'paused':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return status
    default:
      throw new Error(`read events: the status is ${text ?? 'missing'}`)
  }
}
