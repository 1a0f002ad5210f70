// @vitest-environment node
import { expect, it } from 'vitest'
import { endedBefore } from './ends'
import { fold, readLog } from './testdata'
import { type Call, type Item, pendingCalls, type Transcript } from './transcript'

// What must be true of the shared logs, said by hand; the golden files beside them are written by the Go fold itself.

const folded = (name: string) => fold(readLog(name))

function call(t: Transcript, id: string): Call {
  const found = t.calls.get(id)
  if (found === undefined) throw new Error(`no call ${id}`)
  return found
}

const textOf = (item: Item | undefined) => (item === undefined || item.kind === 'call' ? item?.id : item.text)

it('A7: an event without its payload is reported and the run goes on', () => {
  const t = folded('wire-errors')
  expect(t.wireErrors.length).toBe(8)
  expect(t.wireErrors[0]?.raw).toBe('{bad')
  expect(t.wireErrors[1]?.message).toBe('event 5: argsTextDelta is missing')
  expect(t.gaps).toEqual([])
  expect(call(t, 'c1').argumentsText).toBe('{}')
  expect(t.status).toBe('completed')
})

it('A8: characters are whole in text and arguments', () => {
  expect(textOf(folded('plain-text').items[2])).toBe('Hello, 世界 🙂\n<b>&amp;')
  expect(call(folded('streamed-arguments'), 'c1').argumentsText).toBe(
    '{"path":"naïve 🙂.txt","content":"a\\"b\\\\c\\u2028"}',
  )
})

it('A11: repeated events are ignored and gaps are shown', () => {
  const t = folded('gaps')
  expect(textOf(t.items[1])).toBe('one three.')
  expect(t.gaps).toEqual([
    { from: 5, to: 6 },
    { from: 8, to: 11 },
  ])
})

it('A12: a run that failed stays failed and settles its calls', () => {
  const t = folded('late')
  expect(t.status).toBe('failed')
  expect([call(t, 'c2').state, call(t, 'c2').reason]).toEqual(['unknown', endedBefore])
  expect(call(t, 'c5').state).toBe('cancelled')
  expect(t.dropped.map((c) => [c.id, c.dropReason])).toEqual([
    ['c3', 'incomplete'],
    ['c4', 'discarded'],
  ])
  expect(t.calls.has('c9')).toBe(false)
})

it('B9: a start that comes twice is one card', () => {
  const t = folded('text-around-calls')
  expect([...t.calls.keys()]).toEqual(['c1', 'c2'])
  expect([call(t, 'c1').argumentsText, call(t, 'c1').resultText]).toEqual(['{}', '1'])
})

it('B10: text keeps its place around calls', () => {
  expect(folded('text-around-calls').items.map(textOf).join(' ')).toBe('A c1 B C c2 D why E')
})

it('B11: a result before its call is joined, and an orphan is shown as such', () => {
  const log = readLog('orphan-result')
  expect(fold(log.slice(0, 4)).calls.size).toBe(0)
  const t = fold(log)
  const joined = call(t, 'c1')
  expect([joined.resultText, joined.toolName, joined.argumentsText, joined.orphan]).toEqual([
    '"early"',
    'read_file',
    '{}',
    false,
  ])
  expect([call(t, 'ghost').orphan, call(t, 'ghost').resultText]).toEqual([true, '"nobody called"'])
})

it.each(['retry', 'retry-not-taken-back'])('B14: a failed try leaves nothing in the thread: %s', (name) => {
  const t = folded(name)
  expect(t.items.filter((item) => ['c1', 'I wi', 'First try.', 'and'].includes(textOf(item) ?? ''))).toEqual([])
  expect(t.dropped[0]?.id).toBe('c1')
  expect(t.droppedParts.length).toBeGreaterThan(0)
  expect(t.turns[0]?.retries[0]?.reason).toBeTruthy()
})

it('B15: arguments of any shape are kept as text', () => {
  const t = folded('odd-arguments')
  const texts = ['[]', '1', '"x"', 'true', 'null', '"{\\"a\\":1}"', '{"a":{"b":[]}}', '{"a":1}{"a":2}', '{"a":', '']
  expect([...t.calls.values()].map((c) => c.argumentsText)).toEqual(texts)
})

it('B16, K: numbers, keys and escapes stay as they were', () => {
  const c = call(folded('lossless'), 'c1')
  for (const want of [
    '2512292042121000001',
    '1.0',
    '1e400',
    '"a":1,"a":2',
    '"path":"safe","PATH":"/etc"',
    '"10":0,"9":0',
    'a<b&&c',
    'a\\u0000b',
    '"\\ud83d"',
  ]) {
    for (const text of [c.proposedText, c.argumentsText, c.resultText, c.detailsText, c.update?.contentText])
      expect(text).toContain(want)
  }
  expect(call(folded('lossless'), '__proto__').resultText).toBe('[1.0, 1e400, "\\ud83d", -0, 0.10]')
})

it('B18: names of prototypes are data', () => {
  const t = folded('lossless')
  expect(call(t, 'c1').toolName).toBe('constructor')
  expect(call(t, '__proto__').id).toBe('__proto__')
  expect(t.calls.has('constructor')).toBe(false)
  expect('admin' in {}).toBe(false)
})

it('K: deep nesting is data', () => {
  expect(call(folded('deep'), 'c1').resultText?.length).toBe(20002)
})

it('E2: a cancelled call stays cancelled', () => {
  const t = folded('cancelled')
  expect(call(t, 'c1').state).toBe('cancelled')
  expect(call(t, 'c1').update?.contentText).toBe('"1 s"')
  expect(t.late.length).toBe(3)
  expect(t.status).toBe('cancelled')
})

it('a call that never ran leaves the thread and is kept with its reason', () => {
  const t = folded('dropped')
  expect([t.calls.size, t.items.length, t.turns[0]?.dropped]).toEqual([0, 2, 2])
  expect(t.dropped.map((c) => [c.dropReason, c.proposedText])).toEqual([
    ['incomplete', '{"path":"x","content":"half of'],
    ['discarded', '{"path":"x"}'],
  ])
})

it('parallel calls keep their places whatever ends first', () => {
  const [c1, c2] = folded('parallel-calls').calls.values()
  expect([c1?.resultText, c2?.resultText]).toEqual(['"package a\\n"', '"package b\\n"'])
  expect([c1?.presentation?.detail, c2?.presentation?.summary, c1?.durationMs]).toEqual(['a.go', '1 line', 0])
})

it('a paused run shows what it waits for', () => {
  const t = folded('approval-paused')
  expect(t.status).toBe('paused')
  const [c1, c2] = pendingCalls(t)
  expect([c1?.approvalId, c1?.approval?.argumentsText, c1?.approval?.detailsText]).toEqual([
    'a1',
    '{"command":"rm -rf build"}',
    '{"terminal":"$ rm -rf build"}',
  ])
  expect([c1?.approval?.sideEffects, c2?.approval?.expiresAt]).toEqual([['process', 'filesystem'], 1790003600000])
  expect(call(t, 'c3').state).toBe('proposed')
})

it('a decided run shows who decided what', () => {
  const t = folded('approval-decided')
  const [c1, c2] = [call(t, 'c1'), call(t, 'c2')]
  expect([c1.state, c1.by, c1.reason, c1.errorCode]).toEqual(['denied', 'ada', 'wrong folder', 'TOOL_DENIED'])
  expect([c2.state, c2.by, c2.update?.contentText, c2.updateCount]).toEqual(['done', 'rule:go test', '"ok b"', 2])
  expect(pendingCalls(t)).toEqual([])
})

it('some decisions leave the rest waiting', () => {
  const t = folded('approval-partly-decided')
  expect([t.status, call(t, 'c1').state, pendingCalls(t).map((c) => c.id)]).toEqual(['paused', 'denied', ['c2']])
})

it('an edited call shows both texts, and expired is not denied', () => {
  const t = folded('approval-edited')
  const c = call(t, 'c1')
  expect([c.proposedText, c.argumentsText, c.updateCount]).toEqual([
    '{"command":"rm -rf build"}',
    '{"command": "rm -rf build/tmp"}',
    0,
  ])
  expect(call(t, 'c2').state).toBe('expired')
})

it('a call that ran when the process died is unknown and asked', () => {
  const t = folded('unknown-after-crash')
  expect([call(t, 'c1').state, pendingCalls(t).map((c) => c.approval?.kind)]).toEqual(['unknown', ['unknown']])
  expect(call(folded('unknown-given-up'), 'c1').state).toBe('denied')
})

it('a failed call shows its code, and a failed run its own', () => {
  const t = folded('failed')
  expect([call(t, 'c1').state, call(t, 'c1').errorCode, call(t, 'c1').resultText]).toEqual([
    'failed',
    'TOOL_TIMEOUT',
    'null',
  ])
  expect([t.status, t.error?.code]).toEqual(['failed', 'LLM_UNAVAILABLE'])
})

it('a handoff shows in the turns and their calls', () => {
  const t = folded('handoff')
  expect([call(t, 'c1').agentName, call(t, 'c2').agentName, t.turns[1]?.model]).toEqual(['demo', 'writer', 'big'])
})

it("a child's calls stand under their parent", () => {
  const t = folded('child-calls')
  expect([call(t, 'c1').children, call(t, 'k1').parentToolCallId, call(t, 'k1').providerCallId]).toEqual([
    ['k1'],
    'c1',
    'call_0',
  ])
})

it('unknown events are kept as they came', () => {
  const t = folded('unknown-event')
  expect(t.unknown.map((f) => f.event.type === 'unknown' && f.event.kind)).toEqual(['workflow', 'swarm', 'shiny'])
  expect(t.unknown[2]?.raw).toBe('{"type":"shiny","at":1, "big": 12345678901234567890}')
})

it('a server that does not number is read', () => {
  const t = folded('unnumbered')
  expect([t.status, t.last, pendingCalls(t).length, call(t, 'other').argumentsText]).toEqual([
    'paused',
    9,
    2,
    '{"b": 1.0}',
  ])
})

it('a version says when a call changed', () => {
  const log = readLog('parallel-calls')
  const t = fold(log.slice(0, -1))
  const before = { run: t.version, call: call(t, 'c1').version }
  fold(log.slice(-1), t)
  expect(t.version).toBe(before.run + 1)
  expect(call(t, 'c1').version).toBe(before.call)
})
