import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import { toasts } from '../../ui/toasts'
import { ShareDialog } from './ShareDialog'

const file = new File(['{"type":"callboard-thread"}\n'], 'mine.callboard')
const taken = { threadId: 't1', title: 'Mine', redacted: true, ended: 2 }
const here = {
  status: 409,
  text: JSON.stringify({ error: { code: 'THREAD_EXISTS', message: 'here' }, threadId: 't0' }),
}

function open() {
  vi.spyOn(toasts, 'add')
  const transport = new FakeTransport()
  transport.on('GET /threads', () => ok({ threads: [] }))
  const app = new App(transport)
  render(
    <AppContext value={app}>
      <ShareDialog />
    </AppContext>,
  )
  const sent = () => transport.asked.filter((each) => each.method === 'POST')
  return { app, transport, sent }
}

const toasted = (title: string) =>
  waitFor(() => expect(vi.mocked(toasts.add)).toHaveBeenCalledWith(expect.objectContaining({ title })))

function drop(name: string, file: File) {
  const event = new Event(name, { bubbles: true, cancelable: true })
  Object.assign(event, { dataTransfer: { types: ['Files'], files: [file] } })
  act(() => void document.body.dispatchEvent(event))
  return event
}

beforeEach(() => {
  vi.restoreAllMocks()
  location.hash = ''
})

describe('an import', () => {
  it('sends the chosen file as it is, says what came of it and shows the thread', async () => {
    const { app, transport, sent } = open()
    transport.on('POST /studio/import', () => ok(taken))
    act(() => app.share.set({ kind: 'import' }))
    fireEvent.change(await screen.findByLabelText('The thread’s file'), { target: { files: [file] } })
    await toasted('Imported “Mine”, a redacted copy. 2 runs that were not over ended.')
    expect(sent()).toEqual([{ method: 'POST', path: '/studio/import', body: '{"type":"callboard-thread"}\n' }])
    await waitFor(() => expect(app.share.get()).toBeUndefined())
    expect(app.router.route.get()).toMatchObject({ kind: 'thread', threadId: 't1' })
  })

  it('offers the thread that is here already, or a copy beside it', async () => {
    const { app, transport, sent } = open()
    transport.on('POST /studio/import', ({ path }) =>
      path.endsWith('?copy=true') ? ok({ ...taken, ended: 0, redacted: false }) : here,
    )
    act(() => app.share.set({ kind: 'import', file }))
    fireEvent.click(await screen.findByRole('button', { name: 'Open it' }))
    expect(app.router.route.get()).toMatchObject({ kind: 'thread', threadId: 't0' })
    act(() => app.share.set({ kind: 'import', file }))
    fireEvent.click(await screen.findByRole('button', { name: 'Import a copy' }))
    await toasted('Imported “Mine”')
    expect(sent().map(({ path }) => path)).toEqual(['/studio/import', '/studio/import', '/studio/import?copy=true'])
  })

  it('says what is wrong with a file, and takes another', async () => {
    const { app, transport } = open()
    transport.on('POST /studio/import', () =>
      refused(400, 'INVALID_INPUT', 'the file is damaged: it is cut after line 3'),
    )
    act(() => app.share.set({ kind: 'import', file }))
    expect((await screen.findByRole('alert')).textContent).toBe(
      'mine.callboard was not imported: the file is damaged: it is cut after line 3',
    )
    const choose = screen.getByRole('button', { name: 'Choose a file…' })
    expect(choose).toHaveProperty('disabled', false)
    expect(document.activeElement).toBe(choose)
    expect(app.share.get()).toBeDefined()
  })

  it.each([
    [['text/uri-list', 'text/html'], true],
    [['text/uri-list', 'text/plain'], false],
    [['text/plain'], false],
  ])('keeps what is dragged as %s from taking the place of the page: %s', (types, kept) => {
    open()
    for (const name of ['dragover', 'drop']) {
      const event = new Event(name, { bubbles: true, cancelable: true })
      Object.assign(event, { dataTransfer: { types, files: [] } })
      act(() => void document.body.dispatchEvent(event))
      expect(event.defaultPrevented).toBe(kept)
    }
  })

  it('takes a file that is dropped on the window, and no other', async () => {
    const { transport, sent } = open()
    transport.on('POST /studio/import', () => ok(taken))
    expect(drop('dragover', file).defaultPrevented).toBe(true)
    expect(drop('drop', new File(['x'], 'photo.png')).defaultPrevented).toBe(true)
    await toasted('photo.png is not a thread’s file: their names end in .callboard.')
    drop('drop', file)
    await toasted('Imported “Mine”, a redacted copy. 2 runs that were not over ended.')
    expect(sent()).toHaveLength(1)
  })
})
