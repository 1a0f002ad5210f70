import { describe, expect, it, vi } from 'vitest'
import { FakeTransport, ok, refused } from '../test/fake'
import { App } from './app'

function app(status: string) {
  const transport = new FakeTransport()
  const thread = { id: 't1', agentName: 'demo', runId: 'r1', status, pendingApprovals: 0 }
  transport.on('GET /threads', () => ok({ threads: [thread] }))
  transport.on('GET /approvals', () => ok({ approvals: [] }))
  transport.on('GET /studio/state', () => ok({}))
  transport.on('POST /agents/demo/runs', () => ok({ runId: 'r2', threadId: 't1' }))
  const it = new App(transport)
  const sent = () => transport.asked.filter((each) => each.method === 'POST').map((each) => each.body)
  return { app: it, transport, thread, sent }
}

describe('a queued message', () => {
  it('is sent once its thread’s run has completed', async () => {
    const { app: it, sent } = app('completed')
    it.queued.of('t1').set('And then')
    it.start()
    await vi.waitFor(() => expect(sent()).toEqual(['{"input":"And then","threadId":"t1"}']))
    expect(it.queued.of('t1').get()).toBe('')
  })

  it.each(['failed', 'cancelled', 'running', 'paused'])('is kept while the run is %s', async (status) => {
    const { app: it, sent } = app(status)
    it.queued.of('t1').set('And then')
    it.start()
    await vi.waitFor(() => expect(it.threads.state.get().phase).toBe('ready'))
    expect(sent()).toEqual([])
    expect(it.queued.of('t1').get()).toBe('And then')
  })

  it('comes back when it is refused', async () => {
    const { app: it, transport } = app('completed')
    transport.on('POST /agents/demo/runs', () => refused(409, 'THREAD_BUSY', 'the thread has a live run'))
    it.queued.of('t1').set('And then')
    it.start()
    await vi.waitFor(() => expect(transport.asked.some((each) => each.method === 'POST')).toBe(true))
    await vi.waitFor(() => expect(it.queued.of('t1').get()).toBe('And then'))
  })

  it('outlives a reload of the page', () => {
    app('running').app.queued.of('t1').set('And then')
    expect(app('running').app.queued.of('t1').get()).toBe('And then')
  })
})

describe('a thread two windows show', () => {
  it('is left once the other has deleted it', async () => {
    location.hash = '#/t/t1'
    const { app: it, transport } = app('completed')
    it.start()
    await vi.waitFor(() => expect(it.threads.state.get().phase).toBe('ready'))
    it.open('t1')
    transport.on('GET /threads', () => ok({ threads: [] }))
    transport.ring({ runId: '', threadId: 't1', last: 0, status: '', deleted: true })
    expect(it.router.route.get()).toEqual({ kind: 'new' })
    await vi.waitFor(() => expect(it.threads.state.get().threads).toEqual([]))
  })

  it('comes back when the other says something in it before it is gone', async () => {
    const { app: it, transport } = app('completed')
    it.start()
    await vi.waitFor(() => expect(it.threads.state.get().threads).toHaveLength(1))
    it.deleteThread('t1', 'Mine')
    transport.ring({ runId: 'r1', threadId: 't1', last: 9, status: 'completed' })
    expect(it.threads.isHidden('t1')).toBe(true)
    transport.ring({ runId: 'r2', threadId: 't1', last: 1, status: 'running' })
    expect(it.threads.isHidden('t1')).toBe(false)
  })
})

describe('the connection', () => {
  it('reads everything again once it is back', async () => {
    const { app: it, transport } = app('completed')
    it.start()
    await vi.waitFor(() => expect(it.threads.state.get().phase).toBe('ready'))
    const before = transport.asked.filter((each) => each.path === '/threads').length
    transport.connect({ state: 'lost', since: 1, retryAt: 2, reason: 'gone' })
    expect(it.connection.get().state).toBe('lost')
    transport.retry()
    expect(it.connection.get().state).toBe('open')
    expect(transport.asked.filter((each) => each.path === '/threads').length).toBe(before + 1)
  })
})

describe('a tool', () => {
  it('that a server listed after the tools were read is found all the same', async () => {
    const { app: it, transport } = app('completed')
    let tools = [{ name: 'edit_file', parameters: {} }]
    transport.on('GET /tools', () => ok({ tools }))
    const asked = () => transport.asked.filter((each) => each.path === '/tools').length
    expect((await it.tool('edit_file', 'workspace'))?.name).toBe('edit_file')
    expect((await it.tool('edit_file', 'workspace'))?.name).toBe('edit_file')
    expect(asked()).toBe(1)
    tools = [...tools, { name: 'words_search', parameters: {} }]
    expect((await it.tool('words_search', 'workspace'))?.name).toBe('words_search')
    expect(asked()).toBe(2)
  })
})

describe('what was left over', () => {
  const asked = (id: string, since: number, kind = 'approval') => ({
    ...{
      approvalId: id,
      toolCallId: id,
      toolName: 'deploy',
      description: '',
      kind,
      argumentsText: '{}',
      argumentsHash: 'h',
    },
    ...{ runId: 'r1', threadId: 't1', agentName: 'demo', since },
  })

  it('waited when the process began, or is unknown since it ended; a page that is read again leaves nothing', async () => {
    const { app: it, transport } = app('paused')
    transport.on('GET /studio/state', () => ok({ openedAt: 1000 }))
    transport.on('GET /approvals', () =>
      ok({ approvals: [asked('a', 900), asked('b', 1100), asked('c', 1050, 'unknown')] }),
    )
    it.start()
    await vi.waitFor(() => expect(it.leftOver.get().map(({ approvalId }) => approvalId)).toEqual(['a', 'c']))
  })
})

describe('the tool of a call', () => {
  it('is that of its agent on an attached server, or of one beside who calls it by hand', async () => {
    const { app: it, transport } = app('completed')
    const agents = ['demo', 'first@there', 'second@there'].map((name) => ({ name, server: name.split('@')[1] ?? '' }))
    transport.on('GET /studio/state', () => ok({ agents }))
    const move = { name: 'move', description: 'There', parameters: {} }
    transport.on('GET /tools', ({ path }) => ok({ tools: path.endsWith('agent=second%40there') ? [move] : [] }))
    await it.studio.refresh()
    for (const name of ['second@there', 'by-hand:move@there']) {
      expect((await it.tool('move', name))?.description).toBe('There')
    }
    expect(await it.tool('fly', 'by-hand:fly@there')).toBeUndefined()
  })
})
