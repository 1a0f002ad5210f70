// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { decode, isWireError } from '../../protocol/events'
import type { LogLine } from '../../protocol/replay'
import { fold, logNames, readLog } from '../../protocol/testdata'
import { costOfUsage, figures, priceOf, tokenKinds } from './figures'

const agentLogs = fileURLToPath(new URL('../../../../backend/agent/testdata/', import.meta.url).href)

function agentLog(file: string): LogLine[] {
  const lines = readFileSync(agentLogs + file, 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines.map((line) => {
    const seq = Number(/^\{"seq":(\d+),/.exec(line)?.[1])
    return { seq, raw: line.replace(/^\{"seq":\d+,/, '{') }
  })
}

const now = 1_900_000_000_000

/** A log that has what the golden ones lack: usage of several turns, tries, a first token, a wait. Times are ms after its start. */
function madeLog(usages: (object | undefined)[], finish?: object): LogLine[] {
  const at = 1_700_000_000_000
  const lines: [number, object][] = [
    [0, { type: 'start', messageId: 'm', threadId: 't', runId: 'r', agentName: 'a' }],
    [100, { type: 'turn', turn: 1, phase: 'start', model: 'scripted' }],
    [600, { type: 'turn', turn: 1, phase: 'retry', model: 'scripted', reason: 'overloaded' }],
    [900, { type: 'tool-call-start', id: 'c1', toolName: 'deploy' }],
    [950, { type: 'tool-call-end', id: 'c1' }],
    [1600, { type: 'turn', turn: 1, phase: 'end', model: 'scripted', usage: usages[0], firstTokenMs: 250 }],
    [1700, { type: 'call-state', toolCallId: 'c1', state: 'waiting' }],
    [9700, { type: 'call-state', toolCallId: 'c1', state: 'approved', by: 'user' }],
    [9800, { type: 'call-state', toolCallId: 'c1', state: 'running' }],
    [9900, { type: 'tool-result', id: 'x', toolCallId: 'c1', result: 'ok' }],
    [10_000, { type: 'turn', turn: 2, phase: 'start', model: 'gpt-5' }],
    [12_000, { type: 'turn', turn: 2, phase: 'end', model: 'gpt-5', usage: usages[1], firstTokenMs: 1000 }],
    ...(finish ? [[12_100, { type: 'finish', messageId: 'm', ...finish }] satisfies [number, object]] : []),
  ]
  return lines.map(([later, { ...event }], index) => ({
    seq: index + 1,
    raw: JSON.stringify({ ...event, at: at + later }),
  }))
}

const first = { inputTokens: 1000, outputTokens: 150, cachedInputTokens: 400 }
const second = { inputTokens: 2000, outputTokens: 50, reasoningTokens: 20 }
const told = { inputTokens: 3000, outputTokens: 200, totalTokens: 3200 }
const logs: [string, LogLine[]][] = [
  ...logNames().map((name): [string, LogLine[]] => [name, readLog(name)]),
  ...readdirSync(agentLogs)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name): [string, LogLine[]] => [`agent/${name}`, agentLog(name)]),
  ['made: going on', madeLog([first, second])],
  ['made: a turn told nothing', madeLog([first, undefined])],
  ['made: completed', madeLog([first, second], { status: 'completed', usage: told })],
]

const prices = [
  { model: 'scripted', input: 2, output: 8, cachedInput: 0.5 },
  { model: 'gpt*', input: 1, output: 3 },
]

type Raw = Record<string, unknown> & { type: string; at: number }

/** The events of a log as JSON, in order, each number once, up to what ends the run. Nothing of the fold is used. */
function eventsOf(log: LogLine[]): Raw[] {
  const out: Raw[] = []
  let last = 0
  for (const { seq, raw } of log) {
    if (seq !== 0 && seq <= last) continue
    last = seq || last + 1
    if (isWireError(decode(raw, seq))) continue
    const json: Raw = JSON.parse(raw)
    const event: Raw = { ...json, at: Math.trunc(json.at ?? 0) }
    out.push(event)
    const over = event.type === 'error' || (event.type === 'finish' && (event.status ?? 'completed') !== 'paused')
    if (over) break
  }
  return out
}

function field(event: Raw | undefined, ...path: string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], event)
}

/** The first piece of an answer after a turn's try began: text of the run's own agent, or a call of the one that asks. */
function firstPiece(events: Raw[], begun: Raw): Raw | undefined {
  const inside = begun.parentToolCallId
  for (const event of events.slice(events.indexOf(begun) + 1)) {
    if (event.type === 'turn' && event.parentToolCallId === inside) return undefined
    if (event.type === 'tool-call-start' && event.parentToolCallId === inside) return event
    if (inside === undefined && (event.type === 'text-delta' || event.type === 'reasoning-delta')) return event
  }
  return undefined
}

describe('every figure is what the log says', () => {
  it.each(logs)('%s', (name, log) => {
    const clock = !name.startsWith('random') // whose times are any number
    const t = fold(log)
    const events = eventsOf(log)
    const got = figures(t, now, prices)
    const is = (type: string) => (event: Raw) => event.type === type
    const turns = events.filter(is('turn'))
    const numbers = [...new Set(turns.map((event) => event.turn))]
    const lastEvent = events.at(-1)
    const over = lastEvent && ['error', 'finish'].includes(lastEvent.type) && lastEvent.status !== 'paused'
    const end = over ? lastEvent.at : now

    const told = got.turns.filter((turn) => turn.request)
    expect(told.map(({ turn }) => turn)).toEqual(numbers)
    expect(got.retries).toBe(turns.filter((event) => event.phase === 'retry').length)
    if (clock) expect(got.lastedMs).toBe(events[0]?.at ? end - events[0].at : undefined)

    let cost: number | undefined
    for (const { turn, request, cost: turnCost } of told) {
      const own = turns.filter((event) => event.turn === turn)
      const ends = own.findLast((event) => event.phase === 'end')
      const begun = own.findLast((event) => event.phase !== 'end')
      const since = begun && firstPiece(events, begun)
      const held = own.some((event) => event.held === true)
      const first = field(ends, 'firstTokenMs') ?? (held || !since ? undefined : since.at - (begun?.at ?? 0))
      const sure = clock || field(ends, 'firstTokenMs') !== undefined
      if (sure) expect(request?.firstTokenMs).toBe(first)
      if (sure && ends && begun) {
        const output = field(ends, 'usage', 'outputTokens')
        const writing = ends.at - begun.at - Number(first)
        const rate = typeof output === 'number' && writing >= 250 ? output / (writing / 1000) : undefined
        if (rate === undefined) expect(request?.tokensPerSecond).toBeUndefined()
        else expect(request?.tokensPerSecond).toBeCloseTo(rate, 9)
        if (clock && own[0]?.at) expect(request?.lastedMs).toBe(ends.at - own[0].at)
      }
      const [input, output, cached] = ['inputTokens', 'outputTokens', 'cachedInputTokens'].map((name) =>
        field(ends, 'usage', name),
      )
      const model = String(own.findLast((event) => event.model)?.model)
      const price = { scripted: [2, 8, 0.5], 'gpt-5': [1, 3, 1] }[model]
      if (price && typeof input === 'number' && typeof output === 'number') {
        const [perInput = 0, perOutput = 0, perCached = 0] = price
        const want = (input * perInput + output * perOutput - Number(cached ?? 0) * (perInput - perCached)) / 1e6
        expect(turnCost).toBeCloseTo(want, 12)
        cost = (cost ?? 0) + want
      } else {
        expect(turnCost).toBeUndefined()
      }
    }
    if (cost === undefined) expect(got.cost.value).toBeUndefined()
    else expect(got.cost.value).toBeCloseTo(cost, 12)

    for (const kind of tokenKinds) expect([kind, got.tokens[kind].value]).toEqual([kind, tokens(events, kind)])
    if (clock) calls(events, end, got)
  })
})

/** What the last end of the run told of a kind of token; without one, what the turns' ends add up to. */
function tokens(events: Raw[], kind: string): number | undefined {
  const since = events.findLastIndex(({ type }) => type === 'start')
  const finish = events.findLast(({ type }, index) => type === 'finish' && index > since)
  const whole = field(finish, 'usage', kind)
  if (typeof whole === 'number') return whole
  const ends = new Map(events.filter(({ type, phase }) => type === 'turn' && phase === 'end').map((e) => [e.turn, e]))
  const parts = [...ends.values()].flatMap((e) => {
    const n = field(e, 'usage', kind)
    if (typeof n === 'number') return [n]
    const [input, output] = [field(e, 'usage', 'inputTokens'), field(e, 'usage', 'outputTokens')]
    return kind === 'totalTokens' && typeof input === 'number' && typeof output === 'number' ? [input + output] : []
  })
  return parts.length === 0 ? undefined : parts.reduce((a, b) => a + b)
}

/** Holds the times of each call against the events that name it. */
function calls(events: Raw[], end: number, got: ReturnType<typeof figures>): void {
  const all = got.turns.flatMap((turn) => turn.calls)
  const dropped = all.filter(({ call }) => call.state === 'dropped')
  expect(got.calls + got.dropped).toBe(all.length)
  expect(got.dropped).toBe(dropped.length)
  expect(got.failed).toBe(all.filter(({ call }) => call.state === 'failed').length)
  let waitedSum = 0
  for (const { call, from, to, ran, ranMs, waited } of all) {
    if (call.orphan || call.state === 'dropped') continue
    const own = events.filter(
      (event) => event.toolCallId === call.id || (event.type.startsWith('tool-call-') && event.id === call.id),
    )
    const begins = own.find((event) => event.type === 'tool-call-start')
    const result = own.find((event) => event.type === 'tool-result')
    if (begins) expect(from).toBe(begins.at)
    if (result && begins && result.at >= begins.at) expect(to).toBe(result.at || from)
    const running = own.findLast((event) => event.state === 'running' && (!result || event.at <= result.at))
    const measured = field(result, 'durationMs')
    if (typeof measured === 'number') expect(ranMs).toBe(Math.trunc(measured))
    else if (running && result && running.at <= result.at) expect(ranMs).toBe(result.at - running.at)
    if (running && result) expect(ran?.from).toBe(running.at)
    if (!waited) continue
    const asked = own.findLastIndex((event) => event.state === 'waiting')
    const decided =
      own.findLast((event) => ['approved', 'denied', 'expired'].includes(String(event.state))) ??
      (asked < 0 ? undefined : own.slice(asked).find((event) => event.state === 'running'))
    expect(waited.to).toBe(decided?.at ?? result?.at ?? end)
    waitedSum += waited.to - waited.from
  }
  expect(got.waitedMs).toBeLessThanOrEqual(waitedSum)
  expect(got.waitedMs > 0).toBe(waitedSum > 0)
}

describe('the figures of a run with tries and a wait', () => {
  const of = (...log: Parameters<typeof madeLog>) => figures(fold(madeLog(...log)), 1_700_000_012_100, prices)

  it('are these', () => {
    const got = of([first, second], { status: 'completed', usage: told })
    expect(got).toMatchObject({ lastedMs: 12_100, modelMs: 3500, waitedMs: 8000, calls: 1, retries: 1 })
    const [one, two] = got.turns.map(({ request }) => request)
    expect(one?.tries.map(({ from, to }) => to - from)).toEqual([500, 1000])
    expect(one?.tokensPerSecond).toBe(200)
    expect(two?.tokensPerSecond).toBe(50)
    expect(got.turns.map(({ cost }) => cost)).toEqual([0.0026, 0.00215])
    expect(got.cost.value).toBeCloseTo(0.00475, 12)
  })

  it('have the time to the first piece while the turn goes on, of the try that goes on, and not of one that is held back', () => {
    const timeToFirst = (upTo: number, held = false) => {
      const log = madeLog([first, second]).slice(0, upTo)
      const lines = log.map(({ seq, raw }) => ({
        seq,
        raw: held ? raw.replace('"phase"', '"held":true,"phase"') : raw,
      }))
      return figures(fold(lines), now, prices).turns.at(-1)?.request?.firstTokenMs
    }
    expect(timeToFirst(3)).toBeUndefined()
    expect(timeToFirst(4)).toBe(300)
    expect(timeToFirst(4, true)).toBeUndefined()
    expect(timeToFirst(6)).toBe(250)
  })

  it('have no output speed of what was written in no time', () => {
    const quick = madeLog([first, second]).map(({ seq, raw }) => ({
      seq,
      raw: raw.replace('"firstTokenMs":1000', '"firstTokenMs":1800'),
    }))
    const [one, two] = figures(fold(quick), now, prices).turns.map(({ request }) => request?.tokensPerSecond)
    expect(one).toBe(200)
    expect(two).toBeUndefined()
  })

  it.each<[string, Parameters<typeof madeLog>, object, object]>([
    ['of turns that told', [[first, second]], { value: 3000, partial: true }, { value: 20, partial: true }],
    [
      'of a turn that did not',
      [[first, undefined]],
      { value: 1000, partial: true },
      { value: undefined, partial: false },
    ],
    [
      'nobody told',
      [[undefined, undefined]],
      { value: undefined, partial: false },
      { value: undefined, partial: false },
    ],
    ['only the end told', [[undefined, undefined], { usage: told }], { value: 3000, partial: false }, {}],
  ])('input and reasoning tokens %s', (_, log, input, reasoning) => {
    const { tokens } = of(...log)
    expect(tokens.inputTokens).toEqual(input)
    expect(tokens.reasoningTokens).toMatchObject(reasoning)
  })

  it('are whole when no try failed and every turn told', () => {
    const log = madeLog([first, first], { usage: told }).filter(({ raw }) => !raw.includes('"retry"'))
    const { tokens, cost } = figures(fold(log), now, prices)
    expect([tokens.inputTokens, tokens.cachedInputTokens]).toEqual([
      { value: 3000, partial: false },
      { value: 800, partial: false },
    ])
    expect(cost.partial).toBe(false)
  })
})

describe('prices', () => {
  it.each([
    ['gpt-5-mini', 'gpt-5-mini'],
    ['gpt-5', 'gpt-5*'],
    ['gpt-4', 'gpt*'],
    ['llama', '*'],
    ['', undefined],
  ])('of %o are those of %o', (model, want) => {
    const all = ['*', 'gpt*', 'gpt-5*', 'gpt-5-mini'].map((name) => ({ model: name, input: 1, output: 1 }))
    expect(priceOf(model, all)?.model).toBe(want)
  })

  it.each<[string, Parameters<typeof costOfUsage>[0], number | undefined, number | undefined]>([
    ['input and output', { inputTokens: 1000, outputTokens: 100 }, undefined, 0.0013],
    ['cached input at its own price', { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 500 }, 0.1, 0.00085],
    ['cached input without one', { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 500 }, undefined, 0.0013],
    ['reasoning as the output it is', { inputTokens: 1000, outputTokens: 100, reasoningTokens: 90 }, undefined, 0.0013],
    ['nothing where the output is unknown', { inputTokens: 1000 }, undefined, undefined],
    ['nothing where the usage is unknown', undefined, undefined, undefined],
  ])('count %s', (_, usage, cachedInput, want) => {
    expect(costOfUsage(usage, { model: 'm', input: 1, output: 3, cachedInput })).toBe(want)
  })
})

it('F9 calls that came in the same ms stand in the order of their numbers, a dropped one too', () => {
  const at = 1_700_000_000_000
  const events = [
    { type: 'start', messageId: 'm', threadId: 't', runId: 'r', agentName: 'a' },
    { type: 'turn', turn: 1, phase: 'start' },
    { type: 'tool-call-start', id: 'c1', toolName: 'read' },
    { type: 'tool-call-end', id: 'c1', dropped: true },
    { type: 'tool-result', id: 'x', toolCallId: 'c1', dropped: true, reason: 'incomplete' },
    { type: 'tool-call-start', id: 'c2', toolName: 'read' },
    { type: 'tool-call-end', id: 'c2' },
  ]
  const t = fold(events.map((event, index) => ({ seq: index + 1, raw: JSON.stringify({ ...event, at }) })))
  const { turns } = figures(t, now, prices)
  expect(turns.flatMap(({ calls }) => calls.map(({ call }) => call.id))).toEqual(['c1', 'c2'])
})
