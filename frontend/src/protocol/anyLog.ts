import type { LogLine } from './replay'

/** A small generator of numbers that gives the same ones for the same seed (mulberry32). */
export function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) % below
  }
}

/** A log of events of few ids, so that they meet, under any number; now and then something that is no event. */
export function anyLog(seed: number): LogLine[] {
  const next = numbers(seed)
  const pick = <T>(...list: [T, ...T[]]): T => list[next(list.length)] ?? list[0]
  const id = () => pick('a', 'b', 'c')
  const text = () => pick('', 'x', 'é🙂"\n')
  const dropped = () => next(5) === 0
  const event = () =>
    pick<() => object>(
      () => ({ type: 'start', messageId: id(), threadId: 't', runId: 'r' }),
      () => ({ type: 'message', messageId: id(), role: 'user', content: text() }),
      () => ({
        type: 'turn',
        turn: 1 + next(3),
        phase: pick('start', 'retry', 'end'),
        reason: text(),
        parentToolCallId: pick('', '', 'a'),
      }),
      () => ({ type: pick('text-start', 'reasoning-start'), id: id() }),
      () => ({ type: pick('text-delta', 'reasoning-delta'), id: id(), delta: text() }),
      () => ({ type: pick('text-end', 'reasoning-end'), id: id(), dropped: dropped() }),
      () => ({ type: 'tool-call-start', id: id(), toolName: 'f', parentToolCallId: pick('', '', 'a') }),
      () => ({ type: 'tool-call-delta', id: id(), argsTextDelta: text() }),
      () => ({ type: 'tool-call-end', id: id(), dropped: dropped() }),
      () => ({
        type: 'tool-update',
        toolCallId: id(),
        content: pick<unknown>(undefined, null, 1),
        arguments: pick<unknown>(undefined, { a: 1 }),
      }),
      () => ({
        type: 'call-state',
        toolCallId: id(),
        state: pick('waiting', 'approved', 'denied', 'running', 'cancelled', 'unknown'),
      }),
      () => ({ type: 'tool-result', toolCallId: id(), result: text(), error: text(), dropped: dropped() }),
      () => ({
        type: 'approval-required',
        approvals: [{ toolCallId: id(), approvalId: text(), argumentsText: text(), kind: pick('approval', 'unknown') }],
      }),
      () => ({ type: 'finish', status: next(8) === 0 ? pick('completed', 'cancelled') : 'paused' }),
      () => (next(8) === 0 ? { type: 'error', message: text() } : { type: 'news', n: next(3) }),
    )()
  const malformed = ['{', '', '[]', '{"type":"text-delta"}'] as const
  return Array.from({ length: 5 + next(100) }, () => ({
    seq: next(6) === 0 ? next(60) : 0,
    raw: next(30) === 0 ? pick(...malformed) : JSON.stringify(event()),
  }))
}
