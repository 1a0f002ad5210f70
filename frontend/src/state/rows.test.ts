// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { anyLog, numbers } from '../protocol/anyLog'
import { Replay } from '../protocol/replay'
import { fold, logNames, readLog } from '../protocol/testdata'
import { newTranscript, type Transcript } from '../protocol/transcript'
import { call, event, finish, message, result, start, turn } from '../test/logs'
import { type Row, runRows } from './rows'
import type { RunView } from './threadStore'

function view(transcript: Transcript): RunView {
  return { id: 'r1', agentName: 'demo', createdAt: 1, status: transcript.status, transcript }
}

/** What a row was made of, but for the run. */
function made({ key, ...row }: Row): unknown[] {
  if (row.kind === 'call') return [key, row.call, row.depth, row.written, row.parent?.key]
  return [key, 'name' in row && row.name, 'by' in row && row.by, 'item' in row && row.item, 'turn' in row && row.turn]
}

function rowsOf(...lines: string[]): Row[] {
  return runRows(view(fold(lines.map((raw, index) => ({ seq: index + 1, raw })))), true, [])
}

describe('the rows of a run', () => {
  it.each(logNames())('have keys of their own at every event of the log %s', (name) => {
    const log = readLog(name)
    const transcript = newTranscript()
    let before: Row[] = []
    for (const line of log) {
      fold([line], transcript)
      before = runRows(view(transcript), true, before)
      const keys = before.map((row) => row.key)
      expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    }
    expect(before.length).toBeGreaterThan(0)
  })

  it('are the same made from the ones before as made anew, wherever a run is gone to', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const next = numbers(seed)
      const replay = new Replay()
      // A run that ends takes no more events, and where much is taken back little stays: these do neither.
      const not = /"type":"error"|"status":"(completed|cancelled)"|"dropped":true|"phase":"retry"/
      // Times that go on, turns that are numbered on, and agents that change: what rows depend on beyond their items.
      const later = (raw: string, i: number) =>
        raw
          .replace(/"turn":(\d)/, (_, n) => `"agentName":"${next(3)}","turn":${2 * i + Number(n)}`)
          .replace('{"type"', () => `{"at":${1 + 1000 * i + next(1000)},"type"`)
      const logs = Array.from({ length: 60 }, (_, i) =>
        anyLog(seed * 100 + i).map(({ raw }) => ({ raw: later(raw, i) })),
      ).flat()
      const lines = logs
        .map(({ raw }) => raw)
        .filter((raw) => !not.test(raw) || (next(100) === 0 && raw.includes('dropped')))
      replay.add(lines.map((raw, i) => ({ seq: i + 1, raw })))
      let before: Row[] = []
      for (let i = 0; i < 80; i++) {
        replay.seek(next(4) === 0 ? next(replay.length + 1) : replay.at - 20 + next(41))
        before = runRows(view(replay.transcript), true, before)
        expect(before.map(made)).toEqual(runRows(view(replay.transcript), true, []).map(made))
      }
    }
  }, 30_000)

  it('keep a row’s identity while its call goes on', () => {
    const lines = [start(), turn(1), ...call('c1', 'read_file', '{}')].map((raw, index) => ({ seq: index + 1, raw }))
    const transcript = fold(lines)
    const before = runRows(view(transcript), true, [])
    fold([{ seq: 10, raw: event('text-start', { id: 'x' }) }], transcript)
    const after = runRows(view(transcript), true, before)
    expect(after.find((row) => row.kind === 'call')).toBe(before.find((row) => row.kind === 'call'))
  })

  it('leave a dropped call out and count it under its turn', () => {
    const dropped = event('tool-result', { id: 'x', toolCallId: 'c1', dropped: true, reason: 'discarded' })
    const rows = rowsOf(start(), turn(1), ...call('c1', 'read_file', '{}'), dropped)
    expect(rows.some((row) => row.kind === 'call')).toBe(false)
    expect(rows.find((row) => row.kind === 'turn')).toMatchObject({ turn: { dropped: 1 } })
  })

  it('count what a turn dropped also when nothing else is left of it', () => {
    const dropped = event('tool-result', { id: 'x', toolCallId: 'c1', dropped: true, reason: 'incomplete' })
    const rows = rowsOf(
      start(),
      turn(1),
      ...call('c1', 'read_file', '{}'),
      dropped,
      turn(2),
      ...call('c2', 'list_files', '{}'),
    )
    expect(rows.map((row) => row.kind)).toEqual(['turn', 'speaker', 'call'])
  })

  it('wait for a first event, and stop waiting when it comes', () => {
    expect(runRows(view(newTranscript()), true, []).map((row) => row.kind)).toEqual(['pending'])
    expect(rowsOf(start()).map((row) => row.kind)).toEqual([])
  })

  it('name the agent once, and again after a handoff', () => {
    const rows = rowsOf(
      start(),
      message('Go.'),
      event('turn', { turn: 1, phase: 'start', agentName: 'first' }),
      ...call('c1', 'ask', '{}'),
      result('c1'),
      event('turn', { turn: 2, phase: 'start', agentName: 'second' }),
      ...call('c2', 'ask', '{}'),
    )
    expect(rows.flatMap((row) => (row.kind === 'speaker' ? [row.name] : []))).toEqual(['You', 'first', 'second'])
  })

  const speakers = (rows: Row[]) =>
    rows.flatMap((row) => (row.kind === 'speaker' ? [`${row.by ?? 'says'} ${row.name}`] : []))
  const works = (n: number, agentName: string, parentToolCallId?: string) =>
    event('turn', { turn: n, phase: 'start', agentName, parentToolCallId })
  const inside = [
    event('tool-call-start', { id: 'k', toolName: 'look', parentToolCallId: 'c1' }),
    event('tool-call-end', { id: 'k' }),
    result('k'),
  ]
  const text = (id: string) => event('text-delta', { id, delta: 'It is so.' })

  it.each<[string, string[], string[]]>([
    [
      'names who was handed over to',
      [works(1, 'first'), ...call('c1', 'transfer_to_second', '{}'), result('c1'), works(2, 'second'), text('x')],
      ['says You', 'says first', 'handoff second'],
    ],
    [
      'names it also where the one before said nothing',
      [works(1, 'first'), works(2, 'second'), text('x')],
      ['says You', 'handoff second'],
    ],
    [
      'says of a call by hand that it is one, here and on a server that is attached',
      [works(1, 'by-hand'), text('x'), works(2, 'by-hand:release@127.0.0.1:4831'), text('y')],
      ['says You', 'says Tried by hand'],
    ],
    [
      'speaks of no handoff where nothing is known of the turn before',
      [works(2, 'second'), text('x')],
      ['says You', 'says second'],
    ],
    [
      'does not take an agent inside of a call for one that took over, nor for one that speaks',
      [
        works(1, 'first'),
        ...call('c1', 'ask', '{}'),
        works(2, 'helper', 'c1'),
        ...inside,
        result('c1'),
        works(3, 'first'),
        text('x'),
      ],
      ['says You', 'says first'],
    ],
    [
      'looks past an agent inside of a call for who worked before',
      [
        works(1, 'first'),
        ...call('c1', 'ask', '{}'),
        works(2, 'helper', 'c1'),
        ...inside,
        result('c1'),
        works(3, 'second'),
        text('x'),
      ],
      ['says You', 'says first', 'handoff second'],
    ],
  ])('%s', (_, events, want) => {
    expect(speakers(rowsOf(start(), message('Go.'), ...events))).toEqual(want)
  })

  it('name a schedule as who sent its message', () => {
    const scheduled = event('message', { messageId: 'msg_sch_1_1700000000000', role: 'user', content: 'Look.' })
    expect(speakers(rowsOf(start(), scheduled, works(1, 'first'), text('x')))).toEqual([
      'schedule Schedule',
      'says first',
    ])
  })

  it('say how a run ended only when that is worth a row', () => {
    expect(rowsOf(start(), finish()).map((row) => row.kind)).toEqual([])
    expect(rowsOf(start(), finish('cancelled')).map((row) => row.kind)).toEqual(['end'])
    expect(rowsOf(start(), event('error', { message: 'no', code: 'LLM_UNAVAILABLE' })).map((row) => row.kind)).toEqual([
      'end',
    ])
  })

  it('say where the history was cut, and that an answer does not fit', () => {
    const cut = { messages: 12, limit: 8000 }
    const rows = rowsOf(
      start(),
      message('Go.'),
      event('turn', { turn: 1, phase: 'start', cut }),
      event('text-delta', { id: 'p1', delta: 'Hm.' }),
      event('finish', { messageId: 'm1', status: 'completed', structuredError: 'The answer does not fit.' }),
    )
    expect(rows.map((row) => row.kind)).toEqual(['speaker', 'message', 'speaker', 'text', 'turn', 'end'])
  })

  it('show an answer that is structured output once, as that', () => {
    const says = (text: string) => [start(), turn(1), event('text-delta', { id: 'p1', delta: text })]
    const gives = (structured: object, fields: object = {}) =>
      event('finish', { messageId: 'm1', status: 'completed', structured, ...fields })
    const kinds = (...lines: string[]) => rowsOf(...lines).map((row) => row.kind)
    const trip = { city: 'Oslo', days: [1, 2] }
    for (const text of ['{"city":"Oslo","days":[1,2]}', '```json\n{ "city": "Oslo",\n  "days": [1, 2] }\n```\n']) {
      expect(kinds(...says(text), gives(trip))).toEqual(['speaker', 'end'])
    }
    expect(kinds(...says('Here: {"city":"Oslo","days":[1,2]}'), gives(trip))).toEqual(['speaker', 'text', 'end'])
    expect(kinds(...says('{"city":"Oslo"}'), gives(trip))).toEqual(['speaker', 'text', 'end'])
  })

  it('take an answer away only when the run gave it as structured output', () => {
    const log = [start(), turn(1), event('text-delta', { id: 'p1', delta: '{"n":1}' })]
    const transcript = fold(log.map((raw, i) => ({ seq: i + 1, raw })))
    const before = runRows(view(transcript), true, [])
    expect(before.map((row) => row.kind)).toEqual(['speaker', 'text'])
    const gave = event('finish', { messageId: 'm1', status: 'completed', structured: { n: 1 } })
    fold([{ seq: log.length + 1, raw: gave }], transcript)
    const after = runRows(view(transcript), true, before)
    expect(after.map((row) => row.kind)).toEqual(['speaker', 'end'])
    expect(after[0]).toBe(before[0])
  })

  it('show events of an unknown kind and what is no event', () => {
    const kinds = rowsOf(start(), event('weather', { sun: true }), '{"type":5}').map((row) => row.kind)
    expect(kinds).toEqual(['wire-error', 'unknown'])
  })

  it('put the calls of a call under it', () => {
    const rows = rowsOf(
      start(),
      turn(1),
      ...call('c1', 'delegate', '{}'),
      event('tool-call-start', { id: 'c2', toolName: 'read_file', parentToolCallId: 'c1' }),
    )
    expect(rows.flatMap((row) => (row.kind === 'call' ? [row.depth] : []))).toEqual([0, 1])
  })
})
