// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { fold } from '../protocol/testdata'
import { call, event, result, start, state, turn } from '../test/logs'
import { Folding } from './folding'
import { type Row, runRows } from './rows'

const child = (id: string, parentToolCallId: string, toolName = 'read') => [
  event('tool-call-start', { id, toolName, parentToolCallId }),
  event('tool-call-delta', { id, argsTextDelta: '{}' }),
  event('tool-call-end', { id }),
]

function rowsOf(...lines: string[]): Row[] {
  const transcript = fold([start(), turn(1), ...lines].map((raw, index) => ({ seq: index + 1, raw })))
  return runRows({ id: 'r1', agentName: 'demo', createdAt: 1, status: 'running', transcript }, true, [])
}

const shape = (rows: readonly Row[]) =>
  rows.flatMap((row) => (row.kind === 'call' ? [`${'  '.repeat(row.depth)}${row.call.id}`] : []))

const two = [...call('a', 'agent', '{}'), ...call('b', 'agent', '{}'), state('a', 'running'), state('b', 'running')]

describe('calls that calls made', () => {
  it('stand below their own, however they came', () => {
    const rows = rowsOf(...two, ...child('b1', 'b'), ...child('a1', 'a'), ...child('b2', 'b'), ...child('a1x', 'a1'))
    expect(shape(rows)).toEqual(['a', '  a1', '    a1x', 'b', '  b1', '  b2'])
  })

  it('are found wherever their parent is not', () => {
    expect(shape(rowsOf(...child('x', 'gone'))).map((id) => id.trim())).toEqual(['x'])
    expect(shape(rowsOf(...child('x', 'y'), ...child('y', 'x'), ...child('z', 'z'))).map((id) => id.trim())).toEqual([
      'x',
      'y',
      'z',
    ])
  })

  it('show while their parent is at work, and go with it when it is closed', () => {
    const folding = new Folding(() => undefined)
    const rows = rowsOf(...two, ...child('a1', 'a'), ...child('a1x', 'a1'), state('a1', 'running'))
    expect(shape(folding.fold(rows, true))).toEqual(['a', '  a1', '    a1x', 'b'])
    folding.set('r1/call:a', false)
    expect(shape(folding.fold(rows, true))).toEqual(['a', 'b'])
  })

  it('stay on the screen when the work is over', () => {
    const folding = new Folding(() => undefined)
    folding.fold(rowsOf(...two, ...child('a1', 'a')), true)
    const rows = rowsOf(...two, ...child('a1', 'a'), result('a1'), result('a'))
    expect(shape(folding.fold(rows, true))).toContain('  a1')
    expect(shape(new Folding(() => undefined).fold(rows, true))).not.toContain('  a1')
  })

  it('are opened up to, through calls and groups', () => {
    const folding = new Folding(() => undefined)
    const inner = Array.from({ length: 4 }, (_, i) => [
      ...child(`c${i}`, 'a'),
      state(`c${i}`, 'running'),
      result(`c${i}`),
    ])
    const rows = rowsOf(
      ...call('a', 'agent', '{}'),
      ...inner.flat(),
      result('a'),
      event('text-delta', { id: 't', delta: 'x' }),
    )
    expect(shape(folding.fold(rows, false))).toEqual(['a'])
    const last = rows.find((row) => row.kind === 'call' && row.call.id === 'c3')
    if (last?.kind !== 'call') throw new Error('no row')
    folding.reveal(last)
    expect(folding.fold(rows, false).map((row) => row.kind)).toContain('group')
    folding.reveal(last)
    expect(shape(folding.fold(rows, false))).toEqual(['a', '  c0', '  c1', '  c2', '  c3'])
  })
})
