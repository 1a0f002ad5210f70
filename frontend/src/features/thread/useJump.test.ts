// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { fold } from '../../protocol/testdata'
import { Folding } from '../../state/folding'
import { type Row, runRows } from '../../state/rows'
import { done, event, start, turn } from '../../test/logs'
import { rowOf } from './useJump'

const folding = new Folding(() => undefined)

function rowsOf(...lines: string[]): Row[] {
  const transcript = fold(lines.map((raw, index) => ({ seq: index + 1, raw })))
  return folding.fold(
    runRows({ id: 'r1', agentName: 'demo', createdAt: 1, status: 'running', transcript }, true, []),
    false,
  )
}

const log = [
  start(),
  turn(1),
  ...done('c1', 'read_file'),
  turn(1, 'end'),
  turn(2),
  event('text-delta', { id: 'p1', delta: 'I go on.' }),
  event('tool-call-start', { id: 'gone', toolName: 'deploy' }),
  event('tool-call-end', { id: 'gone', dropped: true }),
  turn(2, 'end'),
  turn(3),
  ...['a', 'b', 'c', 'd'].flatMap((id) => done(id, 'search')),
]

describe('where a jump leads', () => {
  it.each<[string, { callId?: string; turn?: number; runId?: string }, Row['kind'] | undefined]>([
    ['to the row of a call', { callId: 'c1' }, 'call'],
    ['to the closed group that holds it', { callId: 'b' }, 'group'],
    ['to the foot of the turn a call was dropped in', { callId: 'gone', turn: 2 }, 'turn'],
    ['to the first row of a turn', { turn: 2 }, 'text'],
    ['nowhere for another run', { callId: 'c1', runId: 'r9' }, undefined],
    ['nowhere for a call there is not', { callId: 'c9' }, undefined],
  ])('%s', (_, jump, kind) => {
    const rows = rowsOf(...log)
    expect(rows[rowOf(rows, { threadId: 't1', runId: 'r1', ...jump })]?.kind).toBe(kind)
  })
})
