import { describe, expect, it, vi } from 'vitest'
import { type Asked, afterOf, events, FakeTransport, ok, refused } from '../test/fake'
import {
  approval,
  approvalRequired,
  call,
  done,
  event,
  finish,
  message,
  result,
  start,
  state,
  turn,
} from '../test/logs'
import { Api } from '../transport/api'
import type { Answer } from '../transport/transport'
import { ThreadStore } from './threadStore'

/** A thread with one run whose log can grow. */
function studio(log: string[]) {
  const transport = new FakeTransport()
  const run = { log, status: 'running' }
  transport.on('GET /threads/t1/runs', () =>
    ok({ runs: [{ runId: 'r1', agentName: 'demo', status: run.status, last: run.log.length, createdAt: 1 }] }),
  )
  transport.on('GET /runs/r1/events', (asked) => events(run.log, afterOf(asked), run.status))
  const store = new ThreadStore(new Api(transport), 't1')
  const ring = () => store.ring({ runId: 'r1', threadId: 't1', last: run.log.length, status: run.status })
  const asks = () => transport.asked.filter((each) => each.path.startsWith('/runs/'))
  return { transport, run, store, ring, asks }
}

const opening = [start(), message('Go.'), turn(1)]
const kinds = (store: ThreadStore) => store.rows.get().map((row) => row.kind)

describe('a thread store', () => {
  it('reads the runs of its thread and gives their rows', async () => {
    const { store } = studio([...opening, ...done('c1', 'read_file')])
    expect(store.state.get().phase).toBe('loading')
    await store.refresh()
    expect(store.state.get().phase).toBe('ready')
    expect(kinds(store)).toEqual(['speaker', 'message', 'speaker', 'call'])
  })

  it('reads on after the last event it has when it is rung', async () => {
    const { store, run, ring, asks } = studio([...opening])
    await store.refresh()
    run.log.push(...done('c1', 'read_file'))
    ring()
    await vi.waitFor(() => expect(kinds(store)).toContain('call'))
    expect(asks().map(afterOf)).toEqual([0, 3])
  })

  it('asks for one page at a time, and hears a ring that comes meanwhile', async () => {
    const { store, run, ring, asks, transport } = studio([...opening])
    await store.refresh()
    const held: ((answer: Answer) => void)[] = []
    const reply = vi.fn((_: Asked) => new Promise<Answer>((resolve) => held.push(resolve)))
    transport.on('GET /runs/r1/events', reply)
    run.log.push(...call('c1', 'read_file', '{}'))
    ring()
    const early = events(opening, 3, 'running') // what the server had when it was asked
    run.log.push(state('c1', 'running'))
    ring()
    ring()
    expect(asks()).toHaveLength(2)
    transport.on('GET /runs/r1/events', (asked) => events(run.log, afterOf(asked), run.status))
    held[0]?.(early)
    await vi.waitFor(() => expect(kinds(store)).toContain('call'))
    expect(asks()).toHaveLength(3)
  })

  it('ignores rings of other threads and reads a run it does not know', async () => {
    const { store, asks, transport } = studio([...opening])
    await store.refresh()
    store.ring({ runId: 'r9', threadId: 't9', last: 5, status: 'running' })
    expect(asks()).toHaveLength(1)
    store.ring({ runId: 'r2', threadId: 't1', last: 5, status: 'running' })
    await vi.waitFor(() => expect(transport.asked.filter((each) => each.path === '/threads/t1/runs')).toHaveLength(2))
  })

  it('F11 tells its listeners once per frame, however many events came', async () => {
    const { store, run, ring } = studio([...opening])
    await store.refresh()
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const told = vi.fn()
    store.subscribe(told)
    for (let i = 0; i < 50; i++) run.log.push(...done(`c${i}`, `tool_${i}`))
    ring()
    await vi.waitFor(() => expect(told).toHaveBeenCalled())
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('G6 knows the calls that wait, and that a run that waits is live', async () => {
    const log = [
      ...opening,
      ...call('c1', 'deploy', '{"to":"staging"}'),
      state('c1', 'waiting', { approvalId: 'a-c1' }),
    ]
    const { store, run } = studio([...log, approvalRequired(approval('c1', '{"to":"staging"}')), finish('paused')])
    run.status = 'paused'
    await store.refresh()
    const { waiting, live, status } = store.state.get()
    expect(waiting.map((each) => each.call.id)).toEqual(['c1'])
    expect(live?.id).toBe('r1')
    expect(status).toBe('paused')
  })

  it('says in the server’s words why a thread could not be read', async () => {
    const { store, transport } = studio([])
    transport.on('GET /threads/t1/runs', () => refused(404, 'NOT_FOUND', 'there is no such thread'))
    await store.refresh()
    expect(store.state.get()).toMatchObject({
      phase: 'failed',
      fault: { message: 'there is no such thread', code: 'NOT_FOUND' },
    })
  })

  it('keeps what it has when later events cannot be read, says so, and recovers', async () => {
    const { store, run, ring, transport } = studio([...opening])
    await store.refresh()
    run.log.push(...done('c1', 'read_file'))
    transport.on('GET /runs/r1/events', () => refused(500, 'INTERNAL_ERROR', 'the disk is full'))
    ring()
    await vi.waitFor(() => expect(kinds(store)).toContain('fault'))
    expect(kinds(store)).toContain('message')
    transport.on('GET /runs/r1/events', (asked) => events(run.log, afterOf(asked), run.status))
    await store.refresh()
    await vi.waitFor(() => expect(kinds(store)).not.toContain('fault'))
    expect(kinds(store)).toContain('call')
  })

  it('G2 shows missing events as a gap, and has them after a reload', async () => {
    const log = [...opening, ...done('c1', 'read_file')]
    const { store, transport } = studio(log)
    const whole = events(log, 0, 'running').text
    transport.on('GET /runs/r1/events', () => ok(whole.replace(/\{"seq":4,.*\n/, '')))
    await store.refresh()
    expect(kinds(store)).toContain('gap')
    transport.on('GET /runs/r1/events', (asked) => events(log, afterOf(asked), 'running'))
    await store.reload('r1')
    await vi.waitFor(() => expect(kinds(store)).not.toContain('gap'))
    expect(kinds(store)).toContain('call')
  })
})

/** A run of so many turns, each with a text and two calls of two tools; it is far longer than what is read first. */
function long(turns = 600): string[] {
  const log = [start(), message('Go.')]
  for (let n = 1; n <= turns; n++) {
    log.push(turn(n), event('text-delta', { id: `p${n}`, delta: `Part ${n}.` }), event('text-end', { id: `p${n}` }))
    log.push(...done(`a${n}`, 'read_file'), ...done(`b${n}`, 'write_file'), turn(n, 'end'))
  }
  return log
}

/** Two runs in one thread, the answers for each held until they are let go. */
function held(logs: Record<string, string[]>, statuses: Record<string, string> = {}) {
  const transport = new FakeTransport()
  const statusOf = (id: string) => statuses[id] ?? 'completed'
  const runs = () =>
    Object.entries(logs).map(([runId, log], i) => ({
      runId,
      agentName: 'demo',
      status: statusOf(runId),
      last: log.length,
      createdAt: i + 1,
    }))
  transport.on('GET /threads/t1/runs', () => ok({ runs: runs() }))
  const waiting: { id: string; after: number; answer: () => void }[] = []
  for (const id of Object.keys(logs)) {
    transport.on(`GET /runs/${id}/events`, (asked) => {
      const after = afterOf(asked)
      return new Promise<Answer>((resolve) => {
        waiting.push({ id, after, answer: () => resolve(events(logs[id] ?? [], after, statusOf(id))) })
      })
    })
  }
  const store = new ThreadStore(new Api(transport), 't1')
  /** Answers what was asked of a run's log; whole says whether it was asked from the beginning. */
  const answer = async (id: string, whole: boolean) => {
    const asked = () => waiting.findIndex((each) => each.id === id && (each.after === 0) === whole)
    await vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(0))
    waiting.splice(asked(), 1)[0]?.answer()
  }
  return { store, answer, waiting, transport }
}

const keys = (store: ThreadStore) => store.rows.get().map((row) => row.key)
const whenWhole = (store: ThreadStore) =>
  vi.waitFor(() => expect(store.state.get()).toMatchObject({ phase: 'ready', partial: false }))

describe('a long thread', () => {
  it('shows its end first, with what is missing said, and then all of it with the same rows at its end', async () => {
    const { store, answer } = held({ r1: [...long(), finish()] })
    void store.refresh()
    await answer('r1', false)
    await vi.waitFor(() => expect(store.state.get()).toMatchObject({ phase: 'ready', partial: true }))
    const tail = keys(store)
    expect(tail.length).toBeGreaterThan(100)
    expect(tail[0]).toBe('earlier')
    expect(store.state.get().status).toBe('completed')
    await answer('r1', true)
    await whenWhole(store)
    expect(keys(store).slice(0, 2)).toEqual(['r1/message:u1/speaker', 'r1/message:u1'])
    expect(keys(store)).toHaveLength(2 + 1 + 3 * 600)
    expect(keys(store).slice(1 - tail.length)).toEqual(tail.slice(1))
  })

  it('gives nobody a part of its log: a transcript is empty or whole', async () => {
    const { store, answer } = held({ r1: [...long(), finish()] })
    const seen = new Set<number>()
    const look = () => seen.add(store.runs.at(-1)?.transcript.last ?? 0)
    store.subscribe(look)
    store.rows.subscribe(look)
    void store.refresh()
    await answer('r1', false)
    await answer('r1', true)
    await whenWhole(store)
    expect([...seen]).toEqual([0, long().length + 1])
  })

  it('puts what came while it was read after all of it, in a change of its own', async () => {
    const logs = { r1: long() }
    const { store, answer } = held(logs, { r1: 'running' })
    const lengths: number[] = []
    store.rows.subscribe(() => lengths.push(store.rows.get().length))
    void store.refresh()
    await answer('r1', false)
    await vi.waitFor(() => expect(store.state.get().partial).toBe(true))
    logs.r1.push(turn(601), ...done('late', 'list_files'))
    store.ring({ runId: 'r1', threadId: 't1', last: logs.r1.length, status: 'running' })
    await answer('r1', true)
    await whenWhole(store)
    await vi.waitFor(() => expect(keys(store).at(-1)).toBe('r1/call:late'))
    const whole = 2 + 1 + 3 * 600
    expect(lengths.filter((length) => length >= whole)).toEqual([whole, whole + 1])
    expect(store.runs.at(-1)?.transcript.gaps).toEqual([])
  })

  it('reads the older runs after the newest, and shows none before all between it and the end are there', async () => {
    const few = [start(), message('Before.'), turn(1), ...done('c1', 'read_file'), finish()]
    const { store, answer, waiting } = held({ first: few, r0: few, r1: few, r2: [...long(), finish()] })
    void store.refresh()
    await answer('r2', false)
    await vi.waitFor(() => expect(store.state.get().partial).toBe(true))
    expect(waiting.some(({ id }) => id !== 'r2')).toBe(false)
    await answer('r2', true)
    await answer('r0', true)
    await vi.waitFor(() => expect(store.liveRuns[1]?.transcript.last).toBe(few.length))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    expect(keys(store)[0]).toBe('earlier')
    expect(keys(store).some((key) => key.startsWith('r0/'))).toBe(false)
    await answer('r1', true)
    await vi.waitFor(() => expect(keys(store).slice(0, 2)).toEqual(['earlier', 'r0/message:u1/speaker']))
    await answer('first', true)
    await whenWhole(store)
    expect(keys(store)[0]).toBe('first/message:u1/speaker')
  })

  it('puts an older run above what is there alone, though the newest grew in the same frame', async () => {
    const few = [start(), message('Before.'), turn(1), ...done('c1', 'read_file'), finish()]
    const logs = { r0: few, r1: long() }
    const { store, answer } = held(logs, { r1: 'running' })
    void store.refresh()
    await answer('r1', false)
    await answer('r1', true)
    await vi.waitFor(() => expect(keys(store)[1]).toBe('r1/message:u1/speaker'))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const lengths = [store.rows.get().length]
    store.rows.subscribe(() => lengths.push(store.rows.get().length))
    logs.r1.push(turn(601), ...done('late', 'list_files'))
    store.ring({ runId: 'r1', threadId: 't1', last: logs.r1.length, status: 'running' })
    await answer('r1', false)
    await answer('r0', true)
    await whenWhole(store)
    await vi.waitFor(() => expect(keys(store).at(-1)).toBe('r1/call:late'))
    const before = 1 + 2 + 1 + 3 * 600
    expect(lengths).toEqual([before, before - 1 + 4, before + 4])
  })

  it('leaves out calls at the cut that may fold together with calls above it', async () => {
    const log = [start(), message('Go.')]
    for (let n = 1; n <= 700; n++) log.push(turn(n), ...done(`c${n}`, 'read_file'), turn(n, 'end'))
    log.push(turn(701), event('text-delta', { id: 'p1', delta: 'Read.' }), event('text-end', { id: 'p1' }), finish())
    const { store, answer } = held({ r1: log })
    void store.refresh()
    await answer('r1', false)
    await vi.waitFor(() => expect(store.state.get().partial).toBe(true))
    expect(keys(store)).toEqual(['earlier', 'r1/text:p1'])
    await answer('r1', true)
    await whenWhole(store)
    expect(kinds(store)).toEqual(['speaker', 'message', 'speaker', 'group', 'text'])
  })

  const orphaned: [string, string[]][] = [
    ['no turn begins in what was read first', Array.from({ length: 500 }, (_, i) => done(`x${i}`, 'read_file')).flat()],
    ['something comes for a call that began before it', [turn(601), result('a1'), ...done('z', 'list_files')]],
    [
      'a call was made by one that began before it',
      [turn(601), event('tool-call-start', { id: 'z', toolName: 't', parentToolCallId: 'a1' }), result('z')],
    ],
  ]
  it.each(orphaned)('shows nothing first when %s', async (_, end) => {
    const { store, answer } = held({ r1: [...long(), ...end, finish()] })
    const phases = new Set<boolean>()
    store.state.subscribe(() => phases.add(store.state.get().partial))
    void store.refresh()
    await answer('r1', false)
    await answer('r1', true)
    await whenWhole(store)
    expect([...phases]).toEqual([false])
    expect(kinds(store)[0]).toBe('speaker')
  })

  it('keeps its end and says so when the rest cannot be read, and has all of it after another try', async () => {
    const log = [...long(), finish()]
    const { store, answer, transport } = held({ r1: log })
    const refreshed = store.refresh()
    await answer('r1', false)
    transport.on('GET /runs/r1/events', () => refused(500, 'INTERNAL_ERROR', 'the disk is full'))
    await refreshed
    await vi.waitFor(() => expect(kinds(store).at(-1)).toBe('fault'))
    expect(store.rows.get()[0]).toMatchObject({ kind: 'earlier', failed: true })
    expect(kinds(store)).toContain('text')
    transport.on('GET /runs/r1/events', (asked) => events(log, afterOf(asked), 'completed'))
    await store.refresh()
    await whenWhole(store)
    expect(kinds(store)).not.toContain('fault')
    expect(keys(store)).toHaveLength(2 + 1 + 3 * 600)
  })
})
