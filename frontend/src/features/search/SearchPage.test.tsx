import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { App, AppContext } from '../../state/app'
import { useCell } from '../../state/cell'
import { FakeTransport, ok, refused } from '../../test/fake'
import { SearchPage } from './SearchPage'

beforeEach(() => {
  location.hash = ''
  Element.prototype.scrollIntoView = () => undefined
})

const hit = (threadId: string, seq: number, more: object = {}) => ({
  threadId,
  threadTitle: `Title ${threadId}`,
  runId: `r-${threadId}`,
  seq,
  kind: 'result',
  agentName: 'demo',
  at: Date.now() - 1000 * seq,
  toolCallId: `c${seq}`,
  tool: 'shell',
  label: 'Run tests',
  state: 'failed',
  snippet: `one needle ${seq} two`,
  marks: [{ start: 4, end: 10 }],
  ...more,
})

const names = { tools: ['shell', 'edit_file'], agents: ['demo'], limit: 65536 }

function Shown({ app }: { app: App }) {
  const route = useCell(app.router.route)
  return (
    <AppContext value={app}>
      {route.kind === 'search' ? <SearchPage asked={route.asked} /> : <p>elsewhere</p>}
    </AppContext>
  )
}

/** The page at an address, and how each search is answered: by its parameters. */
function open(asked: string, answer: (of: URLSearchParams) => object | ReturnType<typeof refused>) {
  const transport = new FakeTransport()
  transport.on('GET /studio/search', ({ path }) => {
    const reply = answer(new URLSearchParams(path.split('?')[1]))
    return 'status' in reply ? (reply as ReturnType<typeof refused>) : ok({ ...names, hits: [], ...reply })
  })
  const app = new App(transport)
  act(() => app.router.go({ kind: 'search', asked }))
  render(<Shown app={app} />)
  const field = screen.queryByRole('searchbox') as HTMLInputElement
  return { app, transport, field, asked: () => transport.asked.map(({ path }) => path) }
}

const hits = () => [...document.querySelectorAll<HTMLElement>('[data-hit]')]

it('shows what was found by thread, with label, state, and the words marked', async () => {
  const { field } = open('q=needle', () => ({
    hits: [hit('a', 1), hit('b', 2), hit('a', 3, { label: '', state: 'dropped' })],
  }))
  const first = await screen.findByRole('region', { name: 'Title a' })
  expect(within(first).getAllByRole('button')).toHaveLength(2)
  expect(hits()[0]?.textContent).toMatch(/^Run testsResult · shell failed.*one needle 1 two$/)
  expect(hits()[1]?.textContent).toMatch(/^shellResult dropped/)
  expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['needle', 'needle', 'needle'])
  expect(screen.getByRole('status').textContent).toBe('3 found')
  expect(field.value).toBe('needle')
  expect(document.activeElement).toBe(field)
})

it('is walked through by keys, opens a hit, and on coming back stands where it stood', async () => {
  const { app, field, asked } = open('q=needle', () => ({ hits: [hit('a', 1), hit('a', 2), hit('b', 3)] }))
  await waitFor(() => expect(hits()).toHaveLength(3))
  fireEvent.keyDown(field, { key: 'ArrowDown' })
  expect(document.activeElement).toBe(hits()[0])
  const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key })
  press('ArrowDown')
  press('ArrowDown')
  expect(document.activeElement).toBe(hits()[2])
  press('Home')
  expect(document.activeElement).toBe(hits()[0])
  press('ArrowUp')
  expect(document.activeElement).toBe(field)
  press('ArrowDown')
  press('End')
  expect(hits().map((each) => each.tabIndex)).toEqual([-1, -1, 0])
  fireEvent.click(document.activeElement as Element)
  expect(screen.getByText('elsewhere')).toBeTruthy()
  expect(app.led.get()).toEqual({ threadId: 'b', runId: 'r-b', callId: 'c3', itemId: undefined, text: 'needle' })
  const before = asked().length
  act(() => app.router.go({ kind: 'search', asked: 'q=needle' }))
  expect(document.activeElement).toBe(hits()[2])
  expect(asked()).toHaveLength(before)
})

it('asked for by its command it is ready for other words, also where it found some before', async () => {
  const { app, field } = open('q=needle', () => ({ hits: [hit('a', 1)] }))
  await waitFor(() => expect(hits()).toHaveLength(1))
  fireEvent.click(hits()[0] as Element)
  expect(field.isConnected).toBe(false)
  act(() => app.search())
  const again = screen.getByRole<HTMLInputElement>('searchbox')
  expect(document.activeElement).toBe(again)
  expect([again.selectionStart, again.selectionEnd]).toEqual([0, 6])
})

it('a tool that the words name is offered, and its calls are listed', async () => {
  const { asked } = open('q=Edit file', () => ({}))
  fireEvent.click(await screen.findByRole('button', { name: 'All calls of edit_file' }))
  expect(location.hash).toBe('#/search?tool=edit_file')
  expect(document.activeElement).toBe(screen.getByRole('searchbox'))
  expect(screen.queryByRole('button', { name: /^All calls of/ })).toBeNull()
  await waitFor(() => expect(asked().at(-1)).toBe('/studio/search?tool=edit_file'))
})

it('how much of a text is searched is said where nothing was found, and not beside what was', async () => {
  const { field } = open('q=needle', (of) => ({ hits: of.get('q') === 'needle' ? [hit('a', 1)] : [] }))
  await screen.findByText('1 found')
  expect(screen.queryByText(/are searched/)).toBeNull()
  fireEvent.change(field, { target: { value: 'nought' } })
  expect(await screen.findByText('Of a longer text the first 64 KiB are searched.')).toBeTruthy()
})

it('a filter is in the address, and asked of the server', async () => {
  const { field, asked } = open('q=needle&tool=shell&state=failed&agent=demo&kind=result', (of) => ({
    hits: of.get('tool') ? [] : [hit('a', 1)],
  }))
  await screen.findByText(/with these filters/)
  expect(asked().at(-1)).toBe('/studio/search?q=needle&kind=result&tool=shell&state=failed&agent=demo')
  fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0] as Element)
  await waitFor(() => expect(hits()).toHaveLength(1))
  expect(location.hash).toBe('#/search?q=needle')
  expect(document.activeElement).toBe(field)
  fireEvent.change(field, { target: { value: 'other' } })
  expect(location.hash).toBe('#/search?q=other')
  await waitFor(() => expect(asked().at(-1)).toBe('/studio/search?q=other'))
  fireEvent.keyDown(field, { key: 'Escape' })
  expect(location.hash).toBe('#/search')
  expect(screen.getByText(/Searches what was said and done/)).toBeTruthy()
})

it('reads on, and pages without a hit are passed over', async () => {
  const pages: Record<string, object> = {
    '': { hits: [hit('a', 1), hit('b', 2)], before: 50 },
    50: { before: 40 },
    40: { hits: [hit('b', 3), hit('a', 4)], before: 0 },
  }
  open('q=needle', (of) => pages[of.get('before') ?? ''] ?? {})
  await screen.findByText('2 of many, the newest first')
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }))
  await screen.findByText('4 found')
  expect(hits().map((each) => each.textContent?.match(/needle \d/)?.[0])).toEqual([
    'needle 1',
    'needle 2',
    'needle 3',
    'needle 4',
  ])
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
})

it('what cannot be read is said, what is there stays, and it is asked again', async () => {
  let down = false
  const { field } = open('q=needle', () =>
    down ? refused(500, 'INTERNAL_ERROR', 'the disk is on fire') : { hits: [hit('a', 1)] },
  )
  await waitFor(() => expect(hits()).toHaveLength(1))
  down = true
  fireEvent.change(field, { target: { value: 'needles' } })
  expect((await screen.findByRole('alert')).textContent).toMatch(/the disk is on fire/)
  expect([hits().length, field.value]).toEqual([1, 'needles'])
  down = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  await screen.findByText('1 found')
})

it('while the index is behind, what comes into it is shown', async () => {
  let asked = 0
  open('q=needle', () => (++asked === 1 ? { hits: [hit('a', 1)], behind: 2 } : { hits: [hit('b', 2), hit('a', 1)] }))
  await screen.findByText('2 runs not wholly searched yet: more may turn up.')
  await waitFor(() => expect(hits()).toHaveLength(2))
  expect(hits().map((each) => each.tabIndex)).toEqual([-1, 0])
})

it('days in the wrong order are said, and the server is not asked', async () => {
  const { asked } = open('q=a&time=range&from=2026-11-02&to=2026-11-01', () => ({}))
  expect(await screen.findByText('The first day is later than the last.')).toBeTruthy()
  await waitFor(() => expect(asked()).toEqual(['/studio/search?'])) // for the names of the filters
})

it('progress leads to the moment it was, and a message that a program put in to its row', async () => {
  const { app } = open('q=needle', () => ({
    hits: [
      hit('a', 7, { kind: 'progress' }),
      hit('b', 0, { kind: 'message', runId: '', itemId: 'm1', toolCallId: '', tool: '', state: '' }),
      hit('b', 0, { kind: 'message', runId: '', itemId: 'm2', toolCallId: '', tool: '', state: '' }),
    ],
  }))
  await waitFor(() => expect(hits()).toHaveLength(3))
  expect(hits()[0]?.textContent).toMatch(/Run testsProgress/)
  fireEvent.click(hits()[2] as Element)
  expect(app.led.get()).toEqual({ threadId: 'b', runId: '', itemId: 'm2', callId: undefined, text: 'needle' })
  act(() => app.router.go({ kind: 'search', asked: 'q=needle' }))
  await waitFor(() => expect(hits()).toHaveLength(3))
  fireEvent.click(hits()[0] as Element)
  expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 'a', moment: { runId: 'r-a', seq: 7 } })
})

it('a tool that is named by what its calls are called is offered', async () => {
  open('q=look around', () => ({ labels: { edit_file: 'Look around' } }))
  fireEvent.click(await screen.findByRole('button', { name: /^All calls of edit_file\s*\(Look around\)$/ }))
  await waitFor(() => expect(location.hash).toBe('#/search?tool=edit_file'))
})
