import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import axe from 'axe-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WindowCommands } from '../../app/keys/WindowCommands'
import { App, AppContext } from '../../state/app'
import { guardTime } from '../../state/guard'
import { FakeTransport, ok } from '../../test/fake'
import { Toaster } from '../../ui/Toaster'
import { InboxButton } from './InboxButton'
import { InboxDialog } from './InboxDialog'

afterEach(() => vi.useRealTimers())

const waiting = (n: number, fields: object = {}) => ({
  approvalId: `a${n}`,
  toolCallId: `c${n}`,
  runId: `r${n}`,
  threadId: n === 3 ? 't2' : 't1',
  toolName: 'deploy',
  agentName: 'demo',
  kind: 'approval',
  description: 'Changes something.',
  argumentsText: `{"n":${n}.0}`,
  argumentsHash: `hash${n}`,
  arguments: null,
  presentation: { label: `Deploy ${n}` },
  since: Date.now() - 120_000 * n,
  ...fields,
})

async function inbox(...first: object[]) {
  const transport = new FakeTransport()
  let pending = first
  const set = (...next: object[]) => {
    pending = next
  }
  transport.on('GET /threads', () => ok({ threads: [{ id: 't1', title: 'Move the API' }] }))
  transport.on('GET /studio/threads/t2', () => ok({ id: 't2', title: 'An older one' }))
  transport.on('GET /approvals', () => ok({ approvals: pending }))
  transport.on('GET /studio/state', () => ok({}))
  for (const n of [1, 2, 3, 4]) {
    transport.on(`POST /approvals/a${n}/decision`, () => {
      pending = pending.filter((each) => !('approvalId' in each) || each.approvalId !== `a${n}`)
      return ok('{}')
    })
  }
  const app = new App(transport)
  app.start()
  await app.inbox.refresh()
  render(
    <AppContext value={app}>
      <Toaster>
        <InboxButton />
        <WindowCommands onToggleSidebar={() => undefined} />
        <InboxDialog />
      </Toaster>
    </AppContext>,
  )
  const decided = () => transport.asked.filter((each) => each.method === 'POST').map((each) => each.path.split('/')[2])
  return { app, transport, set, decided }
}

const open = () => fireEvent.click(screen.getByRole('button', { name: /Waiting for you/ }))
const entries = () => screen.getAllByRole('article')
const names = () => entries().map((each) => each.getAttribute('aria-label'))
const key = (name: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key: name })

describe('the list of what waits', () => {
  it('has each call of every thread with its age, and a count on its button', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }) // the ages stand still, at a full second
    await inbox(waiting(1), waiting(2), waiting(3))
    expect(screen.getByRole('button', { name: 'Waiting for you: 3 (Ctrl J)' })).toBeTruthy()
    open()
    await waitFor(() =>
      expect(names()).toEqual([
        'Deploy 1, Move the API, waits for 2 min',
        'Deploy 2, Move the API, waits for 4 min',
        'Deploy 3, An older one, waits for 6 min',
      ]),
    )
  })

  it('C10: has what a call of another call asks', async () => {
    await inbox(waiting(1, { agentName: 'researcher', parentToolCallId: 'p' }))
    open()
    expect(entries()[0]?.textContent).toContain('researcher · called by another call')
  })

  it('opens and closes by its key, and says when nothing waits', async () => {
    await inbox()
    fireEvent.keyDown(window, { key: 'j', ctrlKey: true })
    expect(screen.getByText('Nothing waits for you.')).toBeTruthy()
    fireEvent.keyDown(window, { key: 'j', ctrlKey: true })
    expect(screen.queryByText('Nothing waits for you.')).toBeNull()
  })

  it('goes to a call and closes', async () => {
    const { app, decided } = await inbox(waiting(1), waiting(3))
    open()
    key('j')
    key('g')
    expect(app.jump.get()).toMatchObject({ threadId: 't2', runId: 'r3', callId: 'c3' })
    expect(app.inboxOpen.get()).toBe(false)
    expect(decided()).toEqual([])
  })

  it('takes a decision by key once the arguments were there long enough, and rests after it', async () => {
    vi.useFakeTimers({ now: Date.now() })
    const { decided } = await inbox(waiting(1), waiting(2))
    open()
    await act(() => vi.advanceTimersByTimeAsync(50))
    key('a')
    expect(decided()).toEqual([])
    await act(() => vi.advanceTimersByTimeAsync(guardTime))
    key('a')
    await act(() => vi.advanceTimersByTimeAsync(50))
    expect(decided()).toEqual(['a1'])
    expect(entries()).toHaveLength(1)
    expect(document.activeElement).toBe(entries()[0])
    key('a')
    await act(() => vi.advanceTimersByTimeAsync(50))
    expect(decided()).toEqual(['a1'])
    await act(() => vi.advanceTimersByTimeAsync(guardTime))
    key('a')
    await act(() => vi.advanceTimersByTimeAsync(50))
    expect(decided()).toEqual(['a1', 'a2'])
  })

  it('C16: approves all that are listed and read, and not one that comes later', async () => {
    const { app, set, decided } = await inbox(waiting(1), waiting(2), waiting(3))
    open()
    const all = () => screen.getByRole('button', { name: /Approve all/ })
    expect(all()).toHaveProperty('disabled', true)
    expect(screen.getByText('1 of 3 read to the end')).toBeTruthy()
    key('j')
    key('j')
    expect(all()).toHaveProperty('disabled', false)
    set(waiting(1), waiting(2), waiting(3), waiting(4))
    fireEvent.click(all())
    await waitFor(() => expect(decided()).toEqual(['a1', 'a2', 'a3']))
    await act(() => app.inbox.refresh())
    expect(names()).toEqual([expect.stringContaining('Deploy 4')])
  })

  it('has no fault a machine can find', async () => {
    await inbox(waiting(1), waiting(2, { kind: 'unknown' }))
    open()
    const { violations } = await axe.run(screen.getByRole('dialog'), { rules: { region: { enabled: false } } })
    expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
    expect(within(screen.getByRole('dialog')).getAllByRole('article')).toHaveLength(2)
  })
})
