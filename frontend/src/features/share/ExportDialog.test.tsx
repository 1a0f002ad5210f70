import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import { ShareDialog } from './ShareDialog'

const place = {
  kind: 'arguments',
  runId: 'r',
  toolCallId: 'c',
  label: 'Run command',
  before: 'echo ',
  after: ' now',
  times: 2,
}
const key = { id: 'f1', rules: ['key of this program'], fixed: true, count: 1, places: [{ kind: 'title', times: 1 }] }
const token = { id: 'f2', rules: ['GitHub token', 'word of your own'], count: 5, places: Array(5).fill(place) }
const other = {
  id: 'f3',
  rules: ['GitHub token'],
  count: 120,
  places: Array(100).fill({ ...place, kind: 'request', turn: 3 }),
}

async function open(routes: (transport: FakeTransport) => void = () => undefined) {
  const transport = new FakeTransport()
  transport.on('POST /studio/threads/t%201/export/preview', () => ok({ findings: [key, token, other], images: 2 }))
  transport.on('POST /studio/threads/t%201/export', () => ({ ...ok('a file'), fileName: 'My thread.callboard' }))
  routes(transport)
  const saved = vi.fn(async (_name: string, _content: Blob) => true)
  Object.assign(transport.host, { saveFile: saved })
  const app = new App(transport)
  render(
    <AppContext value={app}>
      <ShareDialog />
    </AppContext>,
  )
  app.share.set({ kind: 'export', threadId: 't 1', title: 'My thread' })
  await screen.findByRole('dialog', { name: 'Export “My thread”' })
  const bodies = (path: string) =>
    transport.asked.filter((each) => each.path.endsWith(path)).map(({ body }) => JSON.parse(body ?? ''))
  return { app, transport, saved, bodies }
}

const check = (name: string | RegExp) => screen.findByRole('checkbox', { name })
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))

beforeEach(() => vi.restoreAllMocks())

describe('an export', () => {
  it('goes out as it is when nothing else is said, under the name the server gives it', async () => {
    const { app, saved, bodies } = await open()
    await press('Export')
    await waitFor(() => expect(saved).toHaveBeenCalledOnce())
    expect(saved.mock.calls[0]?.[0]).toBe('My thread.callboard')
    expect(bodies('/export')).toEqual([{ format: 'callboard', redact: false, images: false, words: [], leave: [] }])
    await waitFor(() => expect(app.share.get()).toBeUndefined())
    expect(bodies('/preview')).toEqual([])
  })

  it('shows each hit with its rule, its place and what is around it, and leaves in what is chosen', async () => {
    const { bodies } = await open()
    fireEvent.click(await check('Mask secrets'))
    const tokens = within(await screen.findByRole('region', { name: 'GitHub token' }))
    expect(screen.getByText(/^3 secrets are masked\. What models/)).toBeTruthy()
    expect(tokens.getAllByText('Arguments of Run command, 2 times')).toHaveLength(3)
    fireEvent.click(tokens.getByRole('button', { name: 'Show 2 more places' }))
    expect(tokens.getAllByText('Arguments of Run command, 2 times')).toHaveLength(5)
    fireEvent.click(tokens.getByRole('button', { name: 'Show 97 more places' }))
    expect(tokens.getByText('and 20 places more')).toBeTruthy()
    expect(tokens.getByText('also word of your own')).toBeTruthy()
    expect(await check('Mask: key of this program')).toHaveProperty('disabled', true)

    fireEvent.click(await check('Mask: GitHub token 1'))
    expect(screen.getByText(/^2 secrets are masked, 1 left in\./)).toBeTruthy()
    fireEvent.click(await check('Include 2 images'))
    fireEvent.click(screen.getByRole('radio', { name: /^Markdown/ }))
    await press('Export')
    await waitFor(() => expect(bodies('/export')).toHaveLength(1))
    expect(bodies('/export')[0]).toEqual({ format: 'markdown', redact: true, images: true, words: [], leave: ['f2'] })
  })

  it('leaves in, and masks again, all that one rule found', async () => {
    const { bodies } = await open()
    fireEvent.click(await check('Mask secrets'))
    await press('Leave all in')
    expect(await check('Mask: GitHub token 2')).toHaveProperty('checked', false)
    await press('Mask all')
    expect(await check('Mask: GitHub token 2')).toHaveProperty('checked', true)
    await press('Leave all in')
    await press('Export')
    await waitFor(() => expect(bodies('/export')[0]?.leave).toEqual(['f2', 'f3']))
  })

  it('looks again for each word of one’s own, and takes no word twice', async () => {
    const { bodies } = await open()
    fireEvent.click(await check('Mask secrets'))
    const box = await screen.findByRole('textbox', { name: 'Mask these words too' })
    const add = (text: string) => {
      fireEvent.change(box, { target: { value: text } })
      fireEvent.submit(box)
    }
    add(' Falcon ')
    add('FALCON')
    add('x')
    expect(screen.getByText(/write at least two/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add' })).toHaveProperty('disabled', true)
    await waitFor(() => expect(bodies('/preview').at(-1)?.words).toEqual(['Falcon']))
    await press('Do not mask Falcon')
    await waitFor(() => expect(bodies('/preview').at(-1)?.words).toEqual([]))
  })

  it('says why a preview or an export did not come, and keeps what was chosen', async () => {
    let broken = true
    const { saved } = await open((transport) => {
      transport.on('POST /studio/threads/t%201/export/preview', () =>
        broken ? refused(500, 'INTERNAL_ERROR', 'the disk is full') : ok({ findings: [], images: 0 }),
      )
      transport.on('POST /studio/threads/t%201/export', () => refused(404, 'NOT_FOUND', 'there is no such thread'))
    })
    fireEvent.click(await check('Mask secrets'))
    expect(await screen.findByText('the disk is full')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Export' })).toHaveProperty('disabled', true)
    broken = false
    await press('Try again')
    expect(await screen.findByText('Nothing was found that looks like a secret.')).toBeTruthy()
    await press('Export')
    expect((await screen.findByRole('alert')).textContent).toBe('The thread was not exported: there is no such thread')
    expect(await check('Mask secrets')).toHaveProperty('checked', true)
    expect(saved).not.toHaveBeenCalled()
  })

  it('stays open when the place to save to was not chosen', async () => {
    const { app, saved } = await open()
    saved.mockResolvedValue(false)
    await press('Export')
    await waitFor(() => expect(saved).toHaveBeenCalledOnce())
    await waitFor(() => expect(screen.getByRole('button', { name: 'Export' })).toHaveProperty('disabled', false))
    expect(app.share.get()).toBeDefined()
  })
})
