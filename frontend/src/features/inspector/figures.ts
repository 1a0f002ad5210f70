import type { Usage } from '../../protocol/events'
import type { Call, Transcript, Turn } from '../../protocol/transcript'
import { ended } from '../../protocol/transcript'
import type { Price } from '../../transport/answers'
import { type Span, union } from './spans'

/** A figure that may be known only in part: what nobody told is undefined, never 0. */
export interface Sum {
  value?: number
  /** Something that belongs to it was not told: the value is the least it can be. */
  partial: boolean
}

export type TokenKind = keyof Usage
export const tokenKinds = [
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'totalTokens',
] as const satisfies TokenKind[]

/** Every figure of a run, from its transcript and the moment it is looked at. Times are Unix ms, lengths are ms, costs are US dollars. */
export interface RunFigures {
  turns: TurnFigures[]
  calls: number // without the dropped ones
  failed: number
  dropped: number
  retries: number
  from: number // 0, as every time, of a server that tells none
  to: number
  lastedMs?: number
  /** How long somebody was waited for; calls that waited together count once. */
  waitedMs: number
  /** How long models were at work, tries that failed included. */
  modelMs?: number
  tokens: Record<TokenKind, Sum>
  cost: Sum
}

/** A turn with what it asked for. Calls nobody put in a turn stand in one without a request. */
export interface TurnFigures {
  turn: number
  request?: RequestFigures
  calls: CallFigures[] // in order of appearance, the dropped ones among them
  from: number
  to: number
  cost?: number
}

export interface RequestFigures {
  turn: Turn
  tries: Span[] // the last one gave the turn's answer
  from: number
  to: number
  lastedMs?: number
  firstTokenMs?: number
  /** From the first token to the end. */
  tokensPerSecond?: number
}

export interface CallFigures {
  call: Call
  depth: number
  from: number
  to: number
  waited?: Span
  ran?: Span
  /** What its tool measured, else the time from its start to its result. */
  ranMs?: number
}

/** Computes the figures as of a moment; what has not ended lasts until then. */
export function figures(t: Transcript, now: number, prices: readonly Price[]): RunFigures {
  const timed = t.startedAt > 0
  const end = timed ? (ended(t.status) ? (t.endedAt ?? t.startedAt) : now) : 0
  const calls = callFigures(t, end)
  const all = [...calls.values()].flat()
  const turns = turnFigures(t, end, calls, prices)
  const from = t.startedAt
  const to = Math.max(from, end)
  return {
    turns,
    calls: t.calls.size,
    failed: all.filter(({ call }) => call.state === 'failed').length,
    dropped: t.dropped.length,
    retries: t.turns.reduce((n, turn) => n + turn.retries.length, 0),
    from,
    to,
    lastedMs: timed ? to - from : undefined,
    waitedMs: lengthOf(union(all.flatMap(({ waited }) => waited ?? []))),
    modelMs: timed ? turns.reduce((ms, { request }) => ms + (request?.lastedMs ?? 0), 0) : undefined,
    tokens: tokensOf(t),
    cost: costOf(turns, retried(t)),
  }
}

/** What a try that failed cost is never told. */
function retried(t: Transcript): boolean {
  return t.turns.some((turn) => turn.retries.length > 0)
}

/** The price of a model: the one of that very name, else the one with the longest beginning. */
export function priceOf(model: string | undefined, prices: readonly Price[]): Price | undefined {
  if (!model) return undefined
  const exact = prices.find((price) => price.model === model)
  if (exact) return exact
  const fits = prices.filter(({ model: name }) => name.endsWith('*') && model.startsWith(name.slice(0, -1)))
  return fits.sort((a, b) => b.model.length - a.model.length)[0]
}

/** What a request cost; undefined without a price or without both counts. Cached tokens are part of the input, reasoning is of the output. */
export function costOfUsage(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined || !price) return undefined
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input)
  return (input + usage.outputTokens * price.output) / 1_000_000
}

function callFigures(t: Transcript, end: number): Map<number, CallFigures[]> {
  const byTurn = new Map<number, CallFigures[]>()
  const depths = new Map<string, number>()
  const all = [...t.calls.values(), ...t.dropped]
  if (t.dropped.length > 0) all.sort((a, b) => a.own.seq - b.own.seq) // several may begin in one ms
  for (const call of all) {
    const depth = call.parentToolCallId === undefined ? 0 : (depths.get(call.parentToolCallId) ?? 0) + 1
    if (call.state !== 'dropped') depths.set(call.id, depth)
    const list = byTurn.get(call.turn)
    const entry = callOf(call, depth, end)
    if (list) list.push(entry)
    else byTurn.set(call.turn, [entry])
  }
  return byTurn
}

function callOf(call: Call, depth: number, end: number): CallFigures {
  const from = call.startedAt
  const to = Math.max(from, call.endedAt ?? end)
  const { waitingAt, runningAt, durationMs } = call
  const waited =
    waitingAt === undefined ? undefined : { from: waitingAt, to: Math.max(waitingAt, call.decidedAt ?? to) }
  const began =
    runningAt ?? (durationMs !== undefined && call.endedAt !== undefined ? call.endedAt - durationMs : undefined)
  const ran = began === undefined ? undefined : { from: began, to: Math.max(began, to) }
  return { call, depth, from, to, waited, ran, ranMs: durationMs ?? (ran && ran.to - ran.from) }
}

function turnFigures(
  t: Transcript,
  end: number,
  calls: Map<number, CallFigures[]>,
  prices: readonly Price[],
): TurnFigures[] {
  const out: TurnFigures[] = []
  const last = new Map(t.turns.map((turn) => [turn.parentToolCallId, turn])) // of each agent
  for (const turn of t.turns) {
    const request = requestOf(turn, end, last.get(turn.parentToolCallId) === turn)
    const own = calls.get(turn.turn) ?? []
    calls.delete(turn.turn)
    const to = own.reduce((latest, call) => Math.max(latest, call.to), request.to)
    out.push({
      turn: turn.turn,
      request,
      calls: own,
      from: request.from,
      to,
      cost: costOfUsage(turn.usage, priceOf(turn.model, prices)),
    })
  }
  const outside = [...calls].map(([turn, own]) => {
    const from = own.reduce((first, call) => Math.min(first, call.from), Number.POSITIVE_INFINITY)
    return { turn, calls: own, from, to: own.reduce((latest, call) => Math.max(latest, call.to), from) }
  })
  return [...outside, ...out]
}

/** A rate over less time, in ms, says nothing: the moments are those of events, not of tokens. */
const shortestWriting = 250

function requestOf(turn: Turn, end: number, last: boolean): RequestFigures {
  const from = turn.startedAt
  // A turn that never told its end ended with the run; one before the last, when it was left, which nobody told.
  const to = Math.max(from, turn.endedAt ?? (last ? end : (turn.retries.at(-1)?.at ?? from)))
  const starts = [from, ...turn.retries.map((retry) => retry.at)]
  const tries = starts.map((start, i) => ({ from: start, to: Math.max(start, starts[i + 1] ?? to) }))
  const firstTokenMs = turn.firstTokenMs ?? sinceFirst(turn, tries.at(-1)?.from ?? from)
  const output = turn.usage?.outputTokens
  const writingMs = to - (tries.at(-1)?.from ?? from) - (firstTokenMs ?? 0)
  const known =
    turn.endedAt !== undefined && firstTokenMs !== undefined && output !== undefined && writingMs >= shortestWriting
  return {
    turn,
    tries,
    from,
    to,
    lastedMs: from > 0 ? to - from : undefined,
    firstTokenMs,
    tokensPerSecond: known ? (output * 1000) / writingMs : undefined,
  }
}

/** How long the first piece of a turn took that has not told it yet. One that is held back comes when it was checked, not before. */
function sinceFirst({ held, firstAt }: Turn, from: number): number | undefined {
  return held || firstAt === undefined ? undefined : Math.max(0, firstAt - from)
}

/** The tokens of a run: what its end told, else what its turns told so far. */
function tokensOf(t: Transcript): Record<TokenKind, Sum> {
  const told = t.finish?.usage
  const sum = (kind: TokenKind): Sum => {
    const counts = t.turns.map(({ usage }) => countOf(usage, kind))
    const known = counts.filter((n) => n !== undefined)
    const value = told?.[kind] ?? (known.length > 0 ? known.reduce((a, b) => a + b, 0) : undefined)
    const missing = known.length > 0 && (known.length < counts.length || retried(t))
    return { value, partial: missing }
  }
  return {
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    totalTokens: sum('totalTokens'),
  }
}

/** A count of a turn; a total nobody told is input and output, if both are known. */
export function countOf(usage: Usage | undefined, kind: TokenKind): number | undefined {
  if (kind !== 'totalTokens' || usage?.totalTokens !== undefined) return usage?.[kind]
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined
  return usage.inputTokens + usage.outputTokens
}

function costOf(turns: TurnFigures[], retried: boolean): Sum {
  const requests = turns.filter(({ request }) => request)
  const known = requests.flatMap(({ cost }) => cost ?? [])
  const value = known.length > 0 ? known.reduce((a, b) => a + b, 0) : undefined
  return { value, partial: value !== undefined && (retried || known.length < requests.length) }
}

function lengthOf(spans: Span[]): number {
  return spans.reduce((ms, { from, to }) => ms + to - from, 0)
}
