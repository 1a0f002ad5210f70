import { describe, expect, it } from 'vitest'
import { search } from '../features/find/matches'
import { placeOf } from '../features/find/useLed'
import { afterOf, events, FakeTransport, ok, refused } from '../test/fake'
import { done, finish, message, start, turn } from '../test/logs'
import { Api } from '../transport/api'
import { placeAdded } from './added'
import type { Row } from './rows'
import { ThreadStore } from './threadStore'

const added = (id: string, at: number, role: 'user' | 'assistant' = 'user') => ({
  id,
  role,
  content: `text of ${id}`,
  at,
})
const shown = (row: Row) => (row.kind === 'message' ? row.item.text : row.kind === 'speaker' ? row.name : row.kind)

/** A thread with runs that began at some times, and what programs put into it. */
function studio(runs: number[], messages: object[]) {
  const transport = new FakeTransport()
  const log = [start(), message('Go.'), turn(1), ...done('c1', 'read_file'), finish()]
  const rows = runs.map((createdAt, i) => ({
    runId: `r${i}`,
    agentName: 'demo',
    status: 'completed',
    last: log.length,
    createdAt,
  }))
  transport.on('GET /threads/t1/runs', () => ok({ runs: rows }))
  for (const { runId } of rows) {
    transport.on(`GET /runs/${runId}/events`, (asked) => events(log, afterOf(asked), 'completed'))
  }
  transport.on('GET /studio/threads/t1/added', () => ok({ messages }))
  return { transport, store: new ThreadStore(new Api(transport), 't1') }
}

const run = ['You', 'Go.', 'demo', 'call']

describe('messages that programs put into a thread', () => {
  it.each<[string, number[], number[], [number[], number[]][]]>([
    ['before the first run', [1, 2], [10], [[[1, 2], []]]],
    ['after the last', [11], [10], [[[], [11]]]],
    [
      'between two',
      [10, 19],
      [10, 20],
      [
        [[], []],
        [[10, 19], []],
      ],
    ],
    [
      'everywhere',
      [5, 15, 25],
      [10, 20],
      [
        [[5], []],
        [[15], [25]],
      ],
    ],
    ['in a thread without a run', [5], [], []],
  ])('stand %s', (_, times, runs, want) => {
    const places = placeAdded(
      times.map((at) => added(String(at), at)),
      runs.map((createdAt) => ({ createdAt })),
    )
    const ats = (rows: readonly Row[] = []) =>
      rows.flatMap((row) => (row.kind === 'message' ? [Number(row.item.id)] : []))
    expect(places.map((place) => [ats(place?.before), ats(place?.after)])).toEqual(want)
  })

  it('have rows among those of the runs, are found, and are led to', async () => {
    const { store } = studio(
      [10, 20],
      [added('a', 5), added('b', 6, 'assistant'), added('c', 7, 'assistant'), added('d', 25)],
    )
    await store.refresh()
    expect(store.rows.get().map(shown)).toEqual([
      'user',
      'text of a',
      'agent',
      'text of b',
      'text of c',
      ...run,
      ...run,
      'user',
      'text of d',
    ])
    expect(search(store.runs, 'text of').matches.map(({ row }) => shown(row))).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `text of ${id}`),
    )
    const led = placeOf(store.runs, { runId: '', itemId: 'd' })
    expect(led && shown(led.row)).toBe('text of d')
    expect(placeOf(store.runs, { runId: '', itemId: 'gone' })).toBeUndefined()
  })

  it('keep their rows when the thread is read again, and get those that came', async () => {
    const messages = [added('a', 5)]
    const { store } = studio([10], messages)
    await store.refresh()
    const before = store.rows.get()
    await store.refresh()
    expect(store.rows.get().every((row, i) => row === before[i])).toBe(true)
    messages.push(added('b', 15))
    await store.refresh()
    expect(store.rows.get().map(shown)).toEqual(['user', 'text of a', ...run, 'user', 'text of b'])
  })

  it('are all there is of a thread without a run', async () => {
    const { store } = studio([], [added('a', 5)])
    await store.refresh()
    expect(store.rows.get().map(shown)).toEqual(['user', 'text of a'])
  })

  it('are none where the server keeps none, and what keeps them from being read is said', async () => {
    const { store, transport } = studio([10], [])
    transport.on('GET /studio/threads/t1/added', () => refused(404, 'NOT_FOUND', 'no such route'))
    await store.refresh()
    expect([store.rows.get().map(shown), store.state.get().fault]).toEqual([run, undefined])
    transport.on('GET /studio/threads/t1/added', () => refused(500, 'INTERNAL_ERROR', 'the disk is on fire'))
    await store.refresh()
    expect([store.rows.get().map(shown), store.state.get().fault?.message]).toEqual([run, 'the disk is on fire'])
  })
})
