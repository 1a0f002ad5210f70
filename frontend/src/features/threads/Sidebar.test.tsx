import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok } from '../../test/fake'
import { Sidebar } from './Sidebar'

const now = 1_800_000_000_000
const minute = 60_000
const waiting = { id: 't1', title: 'Deploy it', agentName: 'demo', runId: 'r1', status: 'paused', pendingApprovals: 1 }

/** The list with a thread that began to wait just now. */
async function sidebar() {
  const transport = new FakeTransport()
  transport.on('GET /threads', () => ok({ threads: [{ ...waiting, waitingSince: now, updatedAt: now }] }))
  transport.on('GET /studio/state', () => ok({}))
  transport.on('GET /approvals', () => ok({ approvals: [] }))
  const app = new App(transport)
  render(
    <AppContext value={app}>
      <Sidebar />
    </AppContext>,
  )
  await act(async () => {
    app.start()
    await vi.advanceTimersByTimeAsync(100)
  })
  return { app, transport, list: screen.getByRole('navigation', { name: 'Threads' }) }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime(now)
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the list of threads', () => {
  it('tells how long a thread waits, by the second', async () => {
    const { list } = await sidebar()
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
    await pass(3000)
    expect(list.textContent).toContain('approval, 3 s')
    await pass(2 * minute)
    expect(list.textContent).toContain('approval, 2 min 3 s')
    expect(list.textContent).not.toContain('now')
  })

  it('leaves a lost connection to the bar, and tells of another failure', async () => {
    const { app, transport, list } = await sidebar()
    transport.on('GET /threads', () => Promise.reject(new Error('Failed to fetch')))
    transport.connect({ state: 'lost', since: now, retryAt: now + minute, reason: 'gone' })
    await act(() => app.threads.refresh())
    expect(list.textContent).toContain('Deploy it')
    expect(list.textContent).not.toContain('Failed to fetch')
    await act(async () => transport.retry())
    expect(list.textContent).toContain('Failed to fetch')
  })
})
