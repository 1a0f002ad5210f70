// @vitest-environment node
import { expect, it } from 'vitest'
import { anyLog, numbers } from './anyLog'
import { type LogLine, Replay } from './replay'
import { snapshot } from './snapshot'
import { fold, logNames, readLog } from './testdata'

/** Seeks about in a log; at every place it is what folding so far gives, seen from outside and from inside. */
function check(log: LogLine[], next: (below: number) => number, seeks: number): void {
  const replay = new Replay()
  replay.add(log)
  for (let i = 0; i < seeks; i++) {
    const n = next(3) === 0 ? Math.max(0, replay.at - 1 + next(3)) : next(log.length + 1)
    replay.seek(n)
    const folded = fold(log.slice(0, Math.min(n, log.length)))
    expect(snapshot(replay.transcript)).toEqual(snapshot(folded))
    const { watch: _, ...own } = replay.transcript.own
    expect(plain({ ...replay.transcript, own })).toEqual(plain(folded))
    expect([...own.keys.keys()]).toEqual([...folded.own.keys.keys()])
    expect([...own.early.keys()]).toEqual([...folded.own.early.keys()])
  }
}

/** Maps as lists, so that their order and not their class is compared. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, each]) => [key, plain(each)])
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

it('any log sought about in is what its prefix folds to', () => {
  for (let seed = 1; seed <= 150; seed++) check(anyLog(seed), numbers(seed), 20)
}, 60_000)

it.each(logNames())(
  'the log %s sought about in is what its prefix folds to',
  (name) => {
    const log = readLog(name)
    check(log, numbers(log.length), Math.min(100, 3 * log.length))
  },
  30_000,
)

it('calls and parts stay the same objects when they are gone back from and come to again', () => {
  const log = [
    '{"type":"tool-call-start","id":"a","toolName":"f"}',
    '{"type":"tool-call-delta","id":"a","argsTextDelta":"{}"}',
    '{"type":"text-delta","id":"x","delta":"Hello"}',
  ].map((raw, i) => ({ seq: i + 1, raw }))
  const replay = new Replay()
  replay.add(log)
  replay.seek(3)
  const { calls, items } = replay.transcript
  const [call, part] = [calls.get('a'), items[1]]
  replay.seek(0)
  expect([calls.size, items.length]).toEqual([0, 0])
  replay.seek(3)
  expect(calls.get('a')).toBe(call)
  expect(items[1]).toBe(part)
})

it('a log that grows is sought on in, and a number is found in one with gaps', () => {
  const replay = new Replay()
  const text = (seq: number) => ({ seq, raw: '{"type":"text-delta","id":"x","delta":"a"}' })
  replay.add([text(1), text(2), text(5)])
  replay.seek(9)
  expect([replay.at, replay.transcript.gaps]).toEqual([3, [{ from: 3, to: 4 }]])
  replay.seek(1)
  replay.add([text(6)])
  expect(replay.at).toBe(1)
  replay.seek(4)
  expect(replay.transcript.last).toBe(6)
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((seq) => replay.upTo(seq))).toEqual([0, 1, 2, 2, 2, 3, 4, 4])
})
