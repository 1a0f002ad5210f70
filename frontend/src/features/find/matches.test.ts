import { expect, it } from 'vitest'
import { call, done, event, message, result, start, turn } from '../../test/logs'
import { openThread } from '../../test/thread'
import { search } from './matches'

const found = async (log: string[], query: string) => {
  const { store } = await openThread([start(), message('Go.'), turn(1), ...log])
  return search(store.runs, query).matches.map(({ row, inside }) => {
    const what = row.kind === 'call' ? row.call.id : row.kind
    return inside ? `in ${what}` : what
  })
}

const log = [
  event('text-delta', { id: 'x', delta: 'I look for it.' }),
  event('reasoning-delta', { id: 'y', delta: 'Hidden thought.' }),
  ...done('c1', 'read_file', '{"path":"a\\u00e9\\n\\"b\\".go"}', { label: 'Read file', detail: 'main.go' }),
  ...call('c2', 'run', '{"n":12345678901234567890}'),
  result('c2', { result: { out: 'Fine (*) day' }, details: { image: { src: 'data:image/png;base64,QUJDRA==' } } }),
]

it.each([
  ['look FOR', ['text']],
  ['go.', ['message']],
  ['read file', ['c1']],
  ['main.go', ['c1']],
  ['aé\n"b"', ['in c1']],
  ['12345678901234567890', ['in c2']],
  ['(*)', ['in c2']],
  ['thought', ['in reasoning']],
  ['QUJD', []],
  ['nowhere', []],
  ['', []],
])('finds %j', async (query, want) => {
  expect(await found(log, query)).toEqual(want)
})

it('finds a call that was dropped at the foot of its turn', async () => {
  const dropped = [
    event('tool-call-start', { id: 'c3', toolName: 'write_file' }),
    event('tool-call-delta', { id: 'c3', argsTextDelta: '{"content":"half of i' }),
    event('tool-call-end', { id: 'c3', dropped: true, reason: 'incomplete' }),
  ]
  expect(await found(dropped, 'half of')).toEqual(['in turn'])
})

it('finds the call 9,999 of 10,000', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => done(`c${i}`, 'read_file', `{"path":"file-${i}."}`)).flat()
  expect(await found(many, 'FILE-9999.')).toEqual(['in c9999'])
})
