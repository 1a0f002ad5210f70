import { describe, expect, it, vi } from 'vitest'
import { afterOf, events, FakeTransport, ok } from '../test/fake'
import { call, done, event, finish, message, result, start, state, turn } from '../test/logs'
import { Api } from '../transport/api'
import type { Moment } from './playback'
import { ThreadStore } from './threadStore'

const dropped = event('tool-result', { id: 'x', toolCallId: 'c2', dropped: true, reason: 'discarded' })

/** Events 1 to 14: a call that is done, one that is dropped at 12. */
const log = [
  ...[start(), message('Go.'), turn(1)],
  ...done('c1', 'read_file'), // 4 to 8
  ...[...call('c2', 'deploy', '{"a":1}'), dropped], // 9 to 12
  ...[event('text-delta', { id: 'p', delta: 'Done.' }), finish()],
]

/** A thread of two runs, r1 with the log and r2 after it, read. */
async function thread(first = log, status = 'completed') {
  const transport = new FakeTransport()
  const runs = new Map([
    ['r1', { log: first, status }],
    ['r2', { log: [start('r2'), message('And?'), finish()], status: 'completed' }],
  ])
  transport.on('GET /threads/t1/runs', () => {
    const list = [...runs].map(([runId, each], i) => ({
      runId,
      status: each.status,
      last: each.log.length,
      createdAt: i,
    }))
    return ok({ runs: list.map((each) => ({ ...each, agentName: 'demo' })) })
  })
  for (const [id, each] of runs)
    transport.on(`GET /runs/${id}/events`, (asked) => events(each.log, afterOf(asked), each.status))
  const store = new ThreadStore(new Api(transport), 't1')
  await store.refresh()
  const open = async (runId: string, moment: Moment) => {
    store.play(runId, moment)
    const playback = store.playback.get()
    if (!playback) throw new Error('nothing is played')
    await vi.waitFor(() => expect(playback.state.get().phase).toBe('ready'))
    return playback
  }
  const shows = (...keys: string[]) => vi.waitFor(() => expect(store.rows.get().map((row) => row.key)).toEqual(keys))
  return { store, open, shows, runs }
}

const [you, go, agent] = ['r1/message:u1/speaker', 'r1/message:u1', 'r1/call:c1/speaker']
const [c1, c2, text] = ['r1/call:c1', 'r1/call:c2', 'r1/text:p']
const whole = [you, go, agent, c1, text, 'r1/turn:1']

describe('playback', () => {
  it('shows a run as it was at an event: what was dropped later is there, later runs are not', async () => {
    const { open, shows, store } = await thread()
    const playback = await open('r1', { seq: 11 })
    await shows(you, go, agent, c1, c2)
    expect(store.runs.map((run) => run.id)).toEqual(['r1'])
    playback.step(1)
    await shows(you, go, agent, c1, 'r1/turn:1')
    playback.step(-1)
    await shows(you, go, agent, c1, c2)
  })

  it('leaves the runs before the one that is played whole', async () => {
    const { open, shows } = await thread()
    await open('r2', { seq: 1 })
    await shows(...whole)
  })

  it('goes back to what is there now', async () => {
    const { open, shows, store } = await thread()
    await open('r1', { seq: 2 })
    await shows(you, go)
    store.live()
    await shows(...whole, 'r2/message:u1/speaker', 'r2/message:u1')
  })

  it('has no such run', async () => {
    const { store } = await thread()
    expect(store.play('r9', 'end')).toBe(false)
    expect(store.playback.get()).toBeUndefined()
  })

  it('goes to the event that made a row what it is, and never before the first or past the last', async () => {
    const { open } = await thread()
    const playback = await open('r1', { itemKey: 'call:c1' })
    expect(playback.state.get()).toMatchObject({ at: 8, seq: 8, length: 14 })
    expect(playback.itemKey).toBe('call:c1')
    playback.seek(-5)
    expect(playback.state.get().at).toBe(1)
    playback.seek(500)
    expect(playback.state.get().at).toBe(14)
    playback.go({ itemKey: 'message:u1' })
    expect(playback.state.get().at).toBe(2)
  })

  it('marks calls, failures, approvals and drops', async () => {
    const failing = [
      ...[start(), turn(1), ...call('c1', 'deploy', '{}', { label: 'Deploy' }), state('c1', 'waiting')],
      result('c1', { error: 'no', errorCode: 'TOOL_EXECUTION_FAILED' }),
      event('error', { message: 'over', code: 'LLM_UNAVAILABLE' }),
    ]
    const { open } = await thread([...failing], 'failed')
    const playback = await open('r1', 'end')
    expect(playback.marks.get()).toEqual([
      { n: 3, kind: 'call', label: 'Deploy' },
      { n: 6, kind: 'approval', label: 'Deploy' },
      { n: 7, kind: 'failure', label: 'Deploy' },
      { n: 8, kind: 'failure', label: '' },
    ])
    const marks = (await (await thread()).open('r1', 'end')).marks.get()
    expect(marks.filter(({ kind }) => kind === 'drop')).toEqual([{ n: 12, kind: 'drop', label: 'deploy' }])
  })

  it('goes on with a run that grows, without moving the view', async () => {
    const growing = log.slice(0, 8)
    const { open, shows, store, runs } = await thread(growing, 'running')
    const playback = await open('r1', { seq: 5 })
    await shows(you, go, agent, c1)
    growing.push(...log.slice(8))
    runs.set('r1', { log: growing, status: 'running' })
    store.ring({ runId: 'r1', threadId: 't1', last: growing.length, status: 'running' })
    await vi.waitFor(() => expect(playback.state.get()).toMatchObject({ at: 5, length: 14, lastSeq: 14 }))
    expect(playback.marks.get().map(({ kind }) => kind)).toEqual(['call', 'drop'])
    playback.seek(11)
    await shows(you, go, agent, c1, c2)
  })

  it('plays at the run’s own pace, with long waits shortened, and stops at its end', async () => {
    const slow = [start(), message('Go.'), event('turn', { turn: 1, phase: 'start' }, 600_000), finish()]
    const { open } = await thread(slow)
    const frames: FrameRequestCallback[] = []
    const playback = await open('r1', { seq: 1 })
    vi.spyOn(performance, 'now').mockReturnValue(0)
    vi.spyOn(window, 'requestAnimationFrame').mockImplementation((frame) => frames.push(frame))
    const frame = (at: number) => {
      for (const each of frames.splice(0)) each(at)
    }
    playback.play()
    frame(10)
    expect(playback.state.get()).toMatchObject({ at: 2, playing: true, wait: 600_000 })
    frame(1500)
    expect(playback.state.get().at).toBe(2)
    playback.setSpeed(4)
    frame(2000)
    frame(2010)
    expect(playback.state.get()).toMatchObject({ at: 4, playing: false, wait: undefined })
    playback.play()
    expect(playback.state.get()).toMatchObject({ at: 1, playing: true })
    playback.pause()
    expect(playback.state.get().playing).toBe(false)
  })

  it('has the time of its event', async () => {
    const { open, store } = await thread()
    const playback = await open('r1', { seq: 3 })
    expect(store.now()).toBe(JSON.parse(log[2] ?? '').at)
    playback.step(1)
    expect(store.now()).toBe(JSON.parse(log[3] ?? '').at)
    store.live()
    expect(store.now()).toBeGreaterThan(Date.now() - 10_000)
  })
})
