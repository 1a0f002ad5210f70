import { describe, expect, it } from 'vitest'
import type { Hit } from '../../transport/search'
import { gather, groupHits, piecesOf } from './groups'
import {
  faultOf,
  formatQuery,
  isNarrowed,
  namedTools,
  nothing,
  otherLabel,
  parseQuery,
  type Query,
  serverQuery,
} from './query'

const now = new Date(2026, 10, 30, 12).getTime()

describe('the address of a search', () => {
  it.each<[string, Partial<Query>]>([
    ['', {}],
    ['q=a+b%26c', { q: 'a b&c' }],
    [
      'q=x&kind=error&tool=shell&state=failed&agent=demo&time=7',
      { q: 'x', kind: 'error', tool: 'shell', state: 'failed', agent: 'demo', time: '7' },
    ],
    ['time=range&from=2026-11-01&to=2026-11-30', { time: 'range', from: '2026-11-01', to: '2026-11-30' }],
  ])('%s is read and written', (asked, part) => {
    const query = { ...nothing, ...part }
    expect(parseQuery(asked)).toEqual(query)
    expect(formatQuery(query)).toBe(asked)
  })

  it.each([['kind=noise&state=gone&time=99&other=1'], ['from=2026-11-01'], ['time=range&from=yesterday']])(
    'what %s has that is not known is left out',
    (asked) => {
      const { time, ...rest } = parseQuery(asked)
      expect({ ...rest, time: '' }).toEqual(nothing)
      expect(time).toBe(asked.startsWith('time=range') ? 'range' : '')
    },
  )
})

describe('the server', () => {
  it.each<[Partial<Query>, string | undefined]>([
    [{}, undefined],
    [{ q: '  ' }, undefined],
    [{ time: '7' }, undefined],
    [{ q: ' a ' }, 'q=a'],
    [{ tool: 'shell' }, 'tool=shell'],
    [{ q: 'a', time: '1' }, `q=a&from=${now - 86_400_000}`],
    [
      { q: 'a', time: 'range', from: '2026-11-01', to: '2026-11-30' },
      `q=a&from=${new Date(2026, 10, 1).getTime()}&to=${new Date(2026, 11, 1).getTime() - 1}`,
    ],
    [{ q: 'a', time: 'range', to: '2026-11-30' }, `q=a&to=${new Date(2026, 11, 1).getTime() - 1}`],
  ])('is asked of %j', (part, want) => {
    expect(serverQuery({ ...nothing, ...part }, now)).toBe(want)
  })

  it('is not asked of days in the wrong order', () => {
    expect(faultOf({ ...nothing, time: 'range', from: '2026-11-02', to: '2026-11-01' })).toMatch(/later/)
    expect(faultOf({ ...nothing, time: 'range', from: '2026-11-02', to: '2026-11-02' })).toBeUndefined()
    expect([isNarrowed({ ...nothing, q: 'a' }), isNarrowed({ ...nothing, agent: 'a' })]).toEqual([false, true])
  })
})

const hit = (threadId: string, seq: number): Hit => ({
  threadId,
  threadTitle: `Title ${threadId}`,
  runId: 'r',
  seq,
  kind: 'text',
  agentName: 'demo',
  at: seq,
  dropped: false,
  snippet: '',
  marks: [],
})

describe('hits', () => {
  it('of one thread stand together, and what comes later moves nothing', () => {
    const first = gather([hit('a', 9), hit('b', 8), hit('a', 7), hit('c', 6), hit('b', 5)], undefined)
    expect(first.map(({ seq }) => seq)).toEqual([9, 7, 8, 5, 6])
    const all = [...first, ...gather([hit('a', 4), hit('c', 3), hit('a', 2)], 'c')]
    expect(groupHits(all).map(({ threadId, first, hits }) => [threadId, first, hits.map(({ seq }) => seq)])).toEqual([
      ['a', 0, [9, 7]],
      ['b', 2, [8, 5]],
      ['c', 4, [6, 3]],
      ['a', 6, [4, 2]],
    ])
  })

  it.each([
    ['ab', [], [['ab', false]]],
    ['', [], []],
    [
      'abcd',
      [{ start: 1, end: 3 }],
      [
        ['a', false],
        ['bc', true],
        ['d', false],
      ],
    ],
    [
      '😀b',
      [{ start: 0, end: 2 }],
      [
        ['😀', true],
        ['b', false],
      ],
    ],
    [
      'ab',
      [
        { start: 0, end: 1 },
        { start: 1, end: 9 },
      ],
      [
        ['a', true],
        ['b', true],
      ],
    ],
  ])('the snippet %j with marks at %j', (snippet, marks, want) => {
    expect(piecesOf({ snippet, marks }).map(({ text, marked }) => [text, marked])).toEqual(want)
  })
})

describe('the tools a search names', () => {
  const tools = ['edit_file', 'read_file', 'run_command', 'fs-read_file', 'web_read']
  const labels = { edit_file: 'Löschen & ändern', read_file: 'Read file', web_read: 'Look around' }
  it.each<[string, string[]]>([
    ['run_command', ['run_command']],
    [' Run  command', ['run_command']],
    ['run-com', ['run_command']],
    ['file', ['edit_file', 'read_file', 'fs-read_file']],
    ['read', ['read_file', 'fs-read_file', 'web_read']],
    ['e', []],
    ['   ', []],
    ['command run', []],
    ['look around', ['web_read']],
    ['Lösch', ['edit_file']],
  ])('%j', (q, want) => {
    expect(namedTools(q, tools, labels)).toEqual(want)
  })

  it('have a label of their own where the name says something else', () => {
    expect(tools.map((tool) => otherLabel(tool, labels))).toEqual([
      'Löschen & ändern',
      undefined,
      undefined,
      undefined,
      'Look around',
    ])
  })
})
