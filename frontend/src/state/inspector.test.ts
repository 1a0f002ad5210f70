import { describe, expect, it } from 'vitest'
import { fold } from '../protocol/testdata'
import { event, start, turn } from '../test/logs'
import { Inspector, paneWidth } from './inspector'

describe('the inspector', () => {
  it('keeps whether it is open and how wide it is', () => {
    const before = new Inspector()
    before.setOpen(!before.open.get())
    before.setWidth(500)
    const after = new Inspector()
    expect([after.open.get(), after.width.get()]).toEqual([before.open.get(), 500])
  })

  it.each([
    [0, paneWidth.least],
    [99_999, paneWidth.most],
    [412.4, 412],
  ])('is asked to be %d px wide and is %d', (px, want) => {
    const it = new Inspector()
    it.setWidth(px)
    expect(it.width.get()).toBe(want)
  })

  it('closes when it becomes a sheet, and is as it was when it is a pane again', () => {
    const it = new Inspector()
    it.setOpen(true)
    it.fit(true)
    expect(it.open.get()).toBe(false)
    it.setOpen(true)
    it.setOpen(false)
    it.fit(false)
    expect(it.open.get()).toBe(true)
  })

  it.each([
    ['its first dropped call', ['gone', 'too'], { tab: 'call', callId: 'gone' }],
    ['the turn, where only a try failed', [], { tab: 'timeline', callId: undefined }],
  ])('opens a turn on %s', (_, ids, want) => {
    const drops = ids.flatMap((id) => [
      event('tool-call-start', { id, toolName: 'deploy' }),
      event('tool-call-end', { id, dropped: true }),
    ])
    const log = [start(), turn(1), ...drops, event('turn', { turn: 1, phase: 'retry', reason: 'overloaded' })]
    const transcript = fold(log.map((raw, index) => ({ seq: index + 1, raw })))
    const run = { id: 'r1', agentName: 'demo', createdAt: 1, status: 'running' as const, transcript }
    const [first] = transcript.turns
    if (!first) throw new Error('the log has no turn')
    const it = new Inspector()
    it.showTurn({ kind: 'turn', key: 'r1/turn:1', run, turn: first })
    expect(it.open.get()).toBe(true)
    expect(it.tab.get()).toBe(want.tab)
    expect(it.selected.get()).toEqual({ runId: 'r1', turn: 1, callId: want.callId })
  })
})
