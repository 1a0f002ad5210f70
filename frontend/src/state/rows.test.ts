// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { fold, logNames, readLog } from '../protocol/testdata'
import { newTranscript, type Transcript } from '../protocol/transcript'
import { call, event, finish, message, result, start, turn } from '../test/logs'
import { type Row, runRows } from './rows'
import type { RunView } from './threadStore'

function view(transcript: Transcript): RunView {
  return { id: 'r1', agentName: 'demo', createdAt: 1, status: transcript.status, transcript }
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

  it('say how a run ended only when that is worth a row', () => {
    expect(rowsOf(start(), finish()).map((row) => row.kind)).toEqual([])
    expect(rowsOf(start(), finish('cancelled')).map((row) => row.kind)).toEqual(['end'])
    expect(rowsOf(start(), event('error', { message: 'no', code: 'LLM_UNAVAILABLE' })).map((row) => row.kind)).toEqual([
      'end',
    ])
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
