import { act, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { SettingsDialog } from '../features/setup/SettingsDialog'
import { App, AppContext } from '../state/app'
import { boundWindow } from '../test/bound'
import { FakeTransport, ok } from '../test/fake'
import { toasts } from '../ui/toasts'
import { useOpenings } from './useOpenings'

afterEach(() => {
  location.hash = ''
  vi.restoreAllMocks()
})

/** The page in a window that was given something to open. */
function opened(first: unknown[]) {
  const { app: bound, host, emit } = boundWindow()
  bound.Openings.mockResolvedValueOnce(first)
  const transport = Object.assign(new FakeTransport(), { host })
  transport.on('GET /studio/threads/t1', () => ok({ id: 't1' })).on('GET /threads', () => ok({ threads: [] }))
  const app = new App(transport)
  render(<Opener app={app} />)
  const open = (next: unknown[]) => {
    bound.Openings.mockResolvedValueOnce(next)
    act(() => emit('opening'))
  }
  return { app, transport, open }
}

function Opener({ app }: { app: App }) {
  useOpenings(app)
  return null
}

it('shows the thread, and the moment, of a link', async () => {
  const { app, open, transport } = opened([{ threadId: 't1' }])
  await waitFor(() => expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't1', moment: undefined }))
  open([{ threadId: 't1', runId: 'r1', seq: 4 }])
  const moment = { runId: 'r1', seq: 4 }
  await waitFor(() => expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't1', moment }))
  expect(transport.asked.map(({ method }) => method)).not.toContain('POST')
})

it.each([
  [{ threadId: 'gone' }, 'Nothing was opened: there is no such thread here.'],
  [
    { fault: 'the link "callboard://run" is none of those' },
    'Nothing was opened: the link "callboard://run" is none of those.',
  ],
])('says why it shows nothing, and stays where it is', async (opening, want) => {
  const add = vi.spyOn(toasts, 'add')
  const { app } = opened([opening])
  await waitFor(() => expect(add).toHaveBeenCalledWith(expect.objectContaining({ title: want, type: 'err' })))
  expect(app.router.route.get()).toEqual({ kind: 'new' })
})

it('writes the address of a link into the form to attach a server, and sends nothing to it', async () => {
  const { app, transport } = opened([{ server: 'http://127.0.0.1:4830' }])
  await waitFor(() => expect(app.setUp.get()).toEqual({ kind: 'attach', address: 'http://127.0.0.1:4830' }))
  render(
    <AppContext value={app}>
      <SettingsDialog />
    </AppContext>,
  )
  const address = await screen.findByRole('textbox', { name: 'Address' })
  expect((address as HTMLInputElement).value).toBe('http://127.0.0.1:4830')
  expect(screen.getByText(/Nothing is sent to it before you press Attach/)).toBeTruthy()
  expect(transport.asked.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([])
})

it('closes the settings, and what else lies over the window, before it shows a thread', async () => {
  const { app, open } = opened([])
  app.setUp.set({ kind: 'settings' })
  app.over.set('keyboard')
  app.inboxOpen.set(true)
  open([{ threadId: 't1' }])
  await waitFor(() => expect(app.router.route.get().kind).toBe('thread'))
  expect([app.setUp.get(), app.over.get(), app.inboxOpen.get()]).toEqual([undefined, undefined, false])
})

it.each([
  ['that leads back to the settings', { kind: 'settings' } as const],
  ['of its own', undefined],
])('shows a thread only once a form %s is closed, and says so', async (_, after) => {
  const add = vi.spyOn(toasts, 'add')
  const { app, open } = opened([])
  app.setUp.set({ kind: 'agent', within: after !== undefined })
  open([{ threadId: 't1' }])
  await waitFor(() =>
    expect(add).toHaveBeenCalledWith(expect.objectContaining({ title: expect.stringMatching(/once you close/) })),
  )
  expect(app.router.route.get()).toEqual({ kind: 'new' })
  expect(app.setUp.get()?.kind).toBe('agent')
  app.setUp.set(after)
  expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't1', moment: undefined })
  expect(app.setUp.get()).toBeUndefined()
})

it('leaves a form that is open alone, and offers the server of a link once it is closed', async () => {
  const add = vi.spyOn(toasts, 'add')
  const { app, open } = opened([])
  app.setUp.set({ kind: 'provider' })
  open([{ server: 'http://127.0.0.1:4830' }])
  await waitFor(() =>
    expect(add).toHaveBeenCalledWith(expect.objectContaining({ title: expect.stringMatching(/once you close/) })),
  )
  expect(app.setUp.get()).toEqual({ kind: 'provider' })
  app.setUp.set(undefined)
  expect(app.setUp.get()).toEqual({ kind: 'attach', address: 'http://127.0.0.1:4830' })
})
