// @vitest-environment node
import { describe, expect, it, vi } from 'vitest'
import { fold } from '../protocol/testdata'
import { done, event, start } from '../test/logs'
import { cutPlace } from './cutPlace'
import { Folding } from './folding'
import { runRows } from './rows'
import type { RunView } from './threadStore'

const said = (id: string, text: string) => [
  event('text-start', { id }),
  event('text-delta', { id, delta: text }),
  event('text-end', { id }),
]
const asked = (id: string) => event('message', { messageId: id, role: 'user', content: id })
const turn = (n: number, beforeMessageId?: string, fields: object = {}) =>
  event('turn', {
    turn: n,
    phase: 'start',
    agentName: 'demo',
    cut: beforeMessageId ? { messages: 2 * n, beforeMessageId } : undefined,
    ...fields,
  })

function run(id: string, lines: string[]): RunView {
  const transcript = fold(lines.map((raw, i) => ({ seq: i + 1, raw })))
  return { id, agentName: 'demo', createdAt: 1, status: transcript.status, transcript }
}

/** Where a thread of such runs says its history was cut: the keys of the rows around the place, and what is told of it. */
function placeIn(...logs: string[][]) {
  const runs = logs.map((lines, i) => run(`r${i + 1}`, [start(`r${i + 1}`), ...lines]))
  const rows = new Folding(vi.fn()).fold(
    runs.flatMap((each) => runRows(each, false, [])),
    false,
  )
  const place = cutPlace(runs, rows)
  if (!place) return undefined
  const at = rows.findIndex(({ key }) => key === place.key)
  const { inside, turn: told, kept, callId } = place
  return { above: rows[at - 1]?.key, first: rows[at]?.key, inside, turn: told, kept, callId }
}

const hello = [asked('u1'), turn(1), ...said('a', 'Hello.')]

describe('the place where the history was cut', () => {
  it('is above the name of who said the first message that was sent', () => {
    expect(placeIn(hello, [asked('u2'), turn(1), ...said('a', 'Well.')], [asked('u3'), turn(1, 'u2')])).toEqual({
      above: 'r1/text:a',
      first: 'r2/message:u2/speaker',
      inside: false,
      turn: 1,
      kept: false,
      callId: undefined,
    })
  })

  it('is above the first call of a turn, where a run cut away its own beginning', () => {
    const long = [asked('u2'), turn(1), ...done('c1', 'look'), turn(2), ...done('c2', 'edit'), turn(3, 'r2_2')]
    expect(placeIn(hello, long)).toMatchObject({ above: 'r2/call:c1', first: 'r2/call:c2', kept: true, callId: 'c2' })
  })

  it('is told of the group in which it is', () => {
    const calls = Array.from({ length: 6 }, (_, i) => [turn(i + 1), ...done(`c${i + 1}`, 'look')]).flat()
    const place = placeIn([asked('u1'), ...calls, turn(7, 'r1_4')])
    expect(place).toMatchObject({ first: 'r1/call:c1/group', inside: true, callId: 'c4' })
  })

  it.each<[string, string[][]]>([
    ['nothing was left out', [hello]],
    ['the newest run left nothing out', [hello, [asked('u2'), turn(1, 'u2')], [asked('u3'), turn(1)]]],
    [
      'the agent that was handed over to left nothing out',
      [[asked('u1'), turn(1, 'u1'), turn(2, undefined, { agentName: 'b' })]],
    ],
    ['an agent inside of a call cut its own', [[...hello, turn(2, 'u1', { parentToolCallId: 'c1' })]]],
    ['what was sent first has no row', [hello, [asked('u2'), turn(1, 'elsewhere')]]],
    ['no run was read', []],
  ])('is nowhere when %s', (_, logs) => {
    expect(placeIn(...logs)).toBeUndefined()
  })
})
