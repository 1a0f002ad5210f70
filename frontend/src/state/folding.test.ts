// @vitest-environment node
import { describe, expect, it, vi } from 'vitest'
import { fold } from '../protocol/testdata'
import { call, done, result, start, state, turn } from '../test/logs'
import { Folding } from './folding'
import { type CallRow, type Row, runRows } from './rows'

function rowsOf(...lines: string[]): Row[] {
  const transcript = fold(lines.map((raw, index) => ({ seq: index + 1, raw })))
  return runRows({ id: 'r1', agentName: 'demo', createdAt: 1, status: 'running', transcript }, true, [])
}

const reads = (n: number, from = 0) => Array.from({ length: n }, (_, i) => done(`c${from + i}`, 'read_file')).flat()
const kinds = (rows: Row[]) => rows.map((row) => row.kind)
const folding = () => new Folding(() => undefined)

function calls(rows: Row[]): CallRow[] {
  return rows.filter((row) => row.kind === 'call')
}

describe('folding', () => {
  it.each([
    [3, false, ['speaker', 'call', 'call', 'call']],
    [4, false, ['speaker', 'group']],
    [24, false, ['speaker', 'group']],
    [24, true, ['speaker', ...Array.from({ length: 24 }, () => 'call')]],
  ])('of %i done calls of one label, live %s', (n, live, want) => {
    expect(kinds(folding().fold(rowsOf(start(), turn(1), ...reads(n)), live))).toEqual(want)
  })

  it('folds what stands above the tail of a live run', () => {
    const rows = rowsOf(start(), turn(1), ...reads(5), turn(2), ...call('x', 'deploy', '{}'))
    const text = rowsOf(start(), turn(1), ...reads(5), '{"type":"text-delta","id":"t","delta":"Now."}')
    expect(kinds(folding().fold(rows, true))).toEqual(['speaker', 'group', 'call'])
    expect(kinds(folding().fold(text, true))).toEqual(['speaker', 'group', 'text'])
  })

  it('keeps other labels, failures, warnings, and calls that took long out of a group', () => {
    const warned = [...call('w', 'read_file', '{}'), result('w', { presentation: { label: '', tone: 'warning' } })]
    const failed = [...call('f', 'read_file', '{}'), result('f', { error: 'no', result: null })]
    const slow = [...call('s', 'read_file', '{}'), state('s', 'running'), result('s', { durationMs: 1200 })]
    for (const odd of [failed, warned, slow, done('o', 'list_files')]) {
      const rows = rowsOf(start(), turn(1), ...reads(4), ...odd, ...reads(4, 10))
      expect(kinds(folding().fold(rows, false))).toEqual(['speaker', 'group', 'call', 'group'])
    }
  })

  it('closes nothing the reader opened, and begins no group while the reader looks elsewhere', () => {
    const rows = rowsOf(start(), turn(1), ...reads(4))
    const opened = folding()
    opened.set(calls(rows)[1]?.key ?? '', true)
    expect(kinds(opened.fold(rows, false))).not.toContain('group')
    const away = folding()
    away.following = false
    expect(kinds(away.fold(rows, false))).not.toContain('group')
  })

  it('folds what came above the rows the reader looks at, and none of those with it', () => {
    const there = rowsOf(start(), turn(1), ...reads(8)).slice(5)
    const it = folding()
    it.following = false
    expect(kinds(it.fold(there, false))).toEqual(['call', 'call', 'call', 'call'])
    const all = rowsOf(start(), turn(1), ...reads(8))
    expect(kinds(it.fold(all, false, there))).toEqual(['speaker', 'group', 'call', 'call', 'call', 'call'])
    expect(kinds(it.fold(all, false))).toEqual(['speaker', 'group', 'call', 'call', 'call', 'call'])
  })

  it('lets no group grow while the reader looks elsewhere', () => {
    const it = folding()
    it.fold(rowsOf(start(), turn(1), ...reads(4)), false)
    it.following = false
    const after = it.fold(rowsOf(start(), turn(1), ...reads(6)), false)
    expect(kinds(after)).toEqual(['speaker', 'group', 'call', 'call'])
    it.following = true
    expect(kinds(it.fold(rowsOf(start(), turn(1), ...reads(6)), false))).toEqual(['speaker', 'group'])
  })

  it('shows the calls of a group that is opened', () => {
    const changed = vi.fn()
    const it = new Folding(changed)
    const rows = rowsOf(start(), turn(1), ...reads(4))
    const group = it.fold(rows, false)[1]
    it.set(group?.key ?? '', true)
    expect(changed).toHaveBeenCalledOnce()
    expect(kinds(it.fold(rows, false))).toEqual(['speaker', 'group', 'call', 'call', 'call', 'call'])
  })

  it.each<[string, string[], boolean]>([
    ['done at once', done('c', 'x'), false],
    ['queued', call('c', 'x', '{}'), false],
    ['waiting', [...call('c', 'x', '{}'), state('c', 'waiting')], true],
    ['denied after it waited', [...call('c', 'x', '{}'), state('c', 'waiting'), state('c', 'denied')], true],
    ['failed', [...call('c', 'x', '{}'), result('c', { error: 'no' })], true],
    ['unknown', [...call('c', 'x', '{}'), state('c', 'running'), state('c', 'unknown')], true],
    ['running for long', [...call('c', 'x', '{}'), state('c', 'running')], true], // since 2023
    ['done after over a second', [...call('c', 'x', '{}'), result('c', { durationMs: 1001 })], true],
  ])('a row opens by itself or not: %s', (_, lines, want) => {
    const [row] = calls(rowsOf(start(), turn(1), ...lines, turn(1, 'end')))
    expect(row && folding().isOpen(row)).toBe(want)
  })
})
