import { describe, expect, it, vi } from 'vitest'
import { type Asked, afterOf, events, FakeTransport, ok, refused } from '../test/fake'
import { approval, approvalRequired, call, done, finish, message, start, state, turn } from '../test/logs'
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

  it('tells its listeners once per frame, however many events came', async () => {
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

  it('knows the calls that wait, and that a run that waits is live', async () => {
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

  it('shows missing events as a gap, and has them after a reload', async () => {
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
