// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { approval, approvalRequired, call, result, state } from '../../test/logs'
import { entryOf, Filtered } from './eventLog'

describe('what an event is found by', () => {
  it.each([
    ['a call’s start', call('c1', 'deploy', '{}')[0], 'tool-call-start', ['c1']],
    ['a state', state('c1', 'running'), 'call-state', ['c1']],
    ['a result, whose own id is none of a call', result('c1'), 'tool-result', ['c1']],
    [
      'what is asked of several calls',
      approvalRequired(approval('a', '{}'), approval('b', '{}')),
      'approval-required',
      ['a', 'b'],
    ],
    ['a type nobody knows', '{"type":"swarm","data":1}', 'swarm', []],
    ['what is no event', '{"type":', 'not an event', []],
  ])('%s', (_, raw = '', type, calls) => {
    expect(entryOf(7, raw, 6)).toMatchObject({ seq: 7, type, calls, raw, missing: 0 })
  })

  it('counts the numbers before it that never came', () => {
    expect([entryOf(7, '{"type":"x"}', 3).missing, entryOf(0, '{"type":"x"}', 0).missing]).toEqual([3, 0])
  })
})

describe('a filter', () => {
  const entries = [...call('c1', 'deploy', '{"to":"(a|b)"}'), ...call('c2', 'read', '{}')].map((raw, i) =>
    entryOf(i + 1, raw, i),
  )
  const none = { type: '', callId: undefined, text: '' }

  it.each([
    ['nothing', none, 6],
    ['a type', { ...none, type: 'tool-call-delta' }, 2],
    ['a call', { ...none, callId: 'c2' }, 3],
    ['text, whatever its case', { ...none, text: 'DEPLOY' }, 1],
    ['text that would be a pattern', { ...none, text: '(a|b)' }, 1],
    ['all of them', { type: 'tool-call-end', callId: 'c1', text: 'c1' }, 1],
  ])('by %s', (_, filter, want) => {
    expect(new Filtered(filter).of(entries)).toHaveLength(want)
  })

  it('looks at what came since, and gives the same list while nothing fits', () => {
    const filtered = new Filtered({ ...none, callId: 'c1' })
    const first = filtered.of(entries.slice(0, 3))
    expect(first).toHaveLength(3)
    expect(filtered.of(entries)).toBe(first)
    const more = [...entries, entryOf(7, state('c1', 'running'), 6)]
    expect(filtered.of(more).map(({ seq }) => seq)).toEqual([1, 2, 3, 7])
  })
})
