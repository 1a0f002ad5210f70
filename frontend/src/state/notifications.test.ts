import { afterEach, describe, expect, it, vi } from 'vitest'
import { FakeTransport, ok } from '../test/fake'
import type { Notice, Notifying } from '../transport/transport'
import { App } from './app'
import { Notifications } from './notifications'

afterEach(() => vi.restoreAllMocks())

function means(permission: 'default' | 'granted' | 'denied', onAtFirst = false) {
  const shown: Notice[] = []
  const state = { permission }
  const notifying: Notifying = {
    onAtFirst,
    permission: () => state.permission,
    ask: async () => {
      state.permission = 'granted'
    },
    show: (notice) => shown.push(notice),
  }
  return { notifying, shown }
}

const waiting = (approvalId: string, threadId = 't1') => ({
  approvalId,
  threadId,
  runId: 'r1',
  toolCallId: 'c1',
  toolName: 'deploy',
  presentation: { label: 'Deploy', detail: 'production-secret' },
  argumentsText: '{"key":"production-secret"}',
  arguments: null,
  since: Date.now(),
})

function app(focused: boolean) {
  const { notifying, shown } = means('granted', true)
  const transport = Object.assign(new FakeTransport(), { host: { openExternal: () => undefined, notifying } })
  let pending: object[] = []
  transport.on('GET /threads', () => ok({ threads: [{ id: 't1', title: 'Move the API', agentName: 'demo' }] }))
  transport.on('GET /approvals', () => ok({ approvals: pending }))
  transport.on('GET /studio/state', () => ok({}))
  vi.spyOn(document, 'hasFocus').mockReturnValue(focused)
  const it = new App(transport)
  it.start()
  const wait = async (...all: object[]) => {
    pending = all
    await it.inbox.refresh()
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { app: it, transport, shown, wait }
}

describe('C19: a call that begins to wait', () => {
  it('is told once, by thread and tool, and a click shows it without an answer', async () => {
    const { app: it, transport, shown, wait } = app(false)
    await wait()
    await wait(waiting('a1'))
    await wait(waiting('a1'))
    expect(shown.map(({ title, body }) => [title, body])).toEqual([['Move the API', 'Needs approval: Deploy']])
    expect(JSON.stringify(shown)).not.toContain('production-secret')
    shown[0]?.onClick()
    expect(it.jump.get()).toMatchObject({ threadId: 't1', runId: 'r1', callId: 'c1' })
    expect(transport.asked.filter((each) => each.method !== 'GET')).toEqual([])
  })

  it('is one notification for all that waits in a thread at once', async () => {
    const { shown, wait } = app(false)
    await wait()
    await wait(waiting('a1'), waiting('a2'), waiting('b1', 't2'))
    expect(shown.map((notice) => notice.tag)).toEqual(['a1 a2', 'b1'])
  })

  it('is not told to somebody who looks', async () => {
    const { shown, wait } = app(true)
    await wait()
    await wait(waiting('a1'))
    expect(shown).toEqual([])
  })

  it('is not told when it waited before', async () => {
    const { shown, wait } = app(false)
    await wait(waiting('a1'))
    expect(shown).toEqual([])
  })
})

describe('notifications', () => {
  it('are off in a browser until they are switched on, which asks', async () => {
    const { notifying, shown } = means('default')
    const it = new Notifications(notifying)
    const notice = { title: 'a', body: 'b', tag: 'c', onClick: () => undefined }
    expect(it.state.get()).toBe('off')
    it.show(notice)
    expect(shown).toEqual([])
    await it.switchOn()
    expect(it.state.get()).toBe('on')
    it.show(notice)
    expect(shown).toHaveLength(1)
    expect(new Notifications(notifying).state.get()).toBe('on')
    it.switchOff()
    it.show(notice)
    expect(shown).toHaveLength(1)
  })

  it.each([
    ['blocked', means('denied').notifying],
    ['absent', undefined],
    ['on', means('granted', true).notifying],
  ])('are %s', (state, notifying) => {
    expect(new Notifications(notifying).state.get()).toBe(state)
  })
})
