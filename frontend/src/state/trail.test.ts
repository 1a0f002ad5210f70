// @vitest-environment node
import { expect, it } from 'vitest'
import { fold } from '../protocol/testdata'
import { newTranscript } from '../protocol/transcript'
import { call, event, start, turn } from '../test/logs'
import { type Row, runRows } from './rows'
import type { RunView } from './threadStore'
import { Trail } from './trail'

const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => call(`c${from + i}`, 'read', '{}')).flat()

const child = (id: string, parentToolCallId: string) =>
  event('tool-call-start', { id, toolName: 'read', parentToolCallId })

const part = (id: string, type: string, fields: object) => event(`text-${type}`, { id, ...fields })

/** What of a row depends on more than its item. */
function made(row: Row): unknown[] {
  if (row.kind === 'call') return [row.key, row.depth, row.written, row.parent?.key]
  return [row.key, row.kind === 'speaker' && row.name]
}

/** A run that can be folded on, and gone back in. */
function run(...lines: string[]) {
  const numbered = lines.map((raw, i) => ({ seq: i + 1, raw }))
  const at = (n: number): RunView => {
    const transcript = fold(numbered.slice(0, n), newTranscript())
    return { id: 'r1', agentName: 'demo', createdAt: 1, status: transcript.status, transcript }
  }
  const transcript = newTranscript()
  const live: RunView = { id: 'r1', agentName: 'demo', createdAt: 1, status: 'running', transcript }
  const on = (n: number) => {
    fold(numbered.slice(live.transcript.last, n), transcript)
    return live
  }
  return { at, on, length: numbered.length }
}

const long = [start(), turn(1), ...many(0, 150)]

it.each<[string, string[], string[]]>([
  ['an agent’s name comes', long, [event('start', { messageId: 'm2', agentName: 'other' })]],
  ['an agent’s name comes with a turn', long, [event('turn', { turn: 1, phase: 'start', agentName: 'other' })]],
  ['a turn before ends late', [...long, turn(2), ...many(150, 300)], [turn(1, 'end')]],
  [
    'a turn before was tried again',
    [...long, turn(2), ...many(150, 300)],
    [event('turn', { turn: 1, phase: 'retry' })],
  ],
  [
    'a call that a turn before made late is dropped',
    [...long, turn(2), ...many(150, 300), turn(1, 'end'), ...many(300, 301)],
    [event('tool-result', { id: 'd', toolCallId: 'c300', dropped: true, reason: 'discarded' })],
  ],
  [
    'a text far up is taken back',
    [start(), turn(1), ...Array.from({ length: 150 }, (_, i) => part(`x${i}`, 'delta', { delta: 'I look.' }))],
    [part('x3', 'end', { dropped: true })],
  ],
  [
    'the call that made one far up comes, with a maker of its own',
    [start(), turn(1), ...call('top', 'ask', '{}'), child('low', 'middle'), ...many(0, 150)],
    [child('middle', 'top')],
  ],
  [
    'the call that says when one before was written comes',
    [start(), turn(1), ...many(0, 64), part('x', 'delta', { delta: 'I look.' })],
    many(64, 65),
  ],
  ['calls go on', long, many(150, 300)],
])('rows are the same made from the ones before as made anew when %s', (_, before, more) => {
  const { on, at, length } = run(...before, ...more)
  const first = runRows(on(before.length), true, [])
  expect(runRows(on(length), true, first).map(made)).toEqual(runRows(at(length), true, []).map(made))
})

it('rows are the same made from later ones', () => {
  const { at, length } = run(...long)
  const later = runRows(at(length), true, [])
  const half = 2 + 3 * 70
  expect(runRows(at(half), true, later).map(made)).toEqual(runRows(at(half), true, []).map(made))
})

it('the rows of a call that goes on are made from near the end', () => {
  const { on, length } = run(...long)
  const trail = new Trail(on(length), undefined)
  expect(trail.from.items).toBe(0)
  for (let i = 0; i < 150; i++) trail.pass(() => ({ ...trail.from, items: i, turns: 0 }), i)
  trail.end([])
  expect(new Trail(on(length), trail).from.items).toBe(128)
})
