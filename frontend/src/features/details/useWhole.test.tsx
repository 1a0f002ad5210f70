import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ok, refused } from '../../test/fake'
import { call, event, finish, message, result, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { CallBody } from '../call/CallBody'
import { search } from '../find/matches'
import { FeedRow } from '../thread/FeedRow'

const resultRef = { hash: 'aa', bytes: 70_000, head: '"the beginning' }
const referring = (fields: object) => result('c1', { result: undefined, ...fields })

async function body(...log: string[]) {
  const opened = await openThread([start(), message('Go.'), turn(1), ...call('c1', 'read', '{}'), ...log])
  const found = opened.store.runs[0]?.transcript.calls.get('c1')
  if (!found) throw new Error('no call')
  return { ...opened, call: found }
}

it('fetches a large result when its row is open, and says how it begins meanwhile', async () => {
  const { app, store, transport, call } = await body(state('c1', 'running'), referring({ resultRef }), finish())
  let answer: (text: string) => void = () => undefined
  transport.on('GET /blobs/aa', () => new Promise((resolve) => (answer = (text) => resolve(ok(text)))))
  renderIn(app, store, <CallBody call={call} read />)
  expect(screen.getByText('Fetching 70.0 KB…')).toBeTruthy()
  expect(screen.getByText('"the beginning')).toBeTruthy()
  await waitFor(() => expect(transport.asked.some(({ path }) => path === '/blobs/aa')).toBe(true))
  answer(JSON.stringify('the beginning and the end'))
  await screen.findByText('the beginning and the end')
  expect(screen.queryByText(/Fetching/)).toBeNull()
  expect(transport.asked.filter(({ path }) => path.startsWith('/blobs/')).length).toBe(1)
})

it('says why a large result did not come, and asks again', async () => {
  const { app, store, transport, call } = await body(state('c1', 'running'), referring({ resultRef }), finish())
  transport.on('GET /blobs/aa', () => refused(503, 'UNAVAILABLE', 'the server is closing'))
  renderIn(app, store, <CallBody call={call} read />)
  await screen.findByText(/could not be fetched: the server is closing/)
  transport.on('GET /blobs/aa', () => ok('"here it is"'))
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByText('here it is')
})

it('shows the progress before while newer progress is fetched', async () => {
  const progress = (hash: string) => event('tool-update', { toolCallId: 'c1', contentRef: { ...resultRef, hash } })
  const { app, store, transport, run, ring } = await body(state('c1', 'running'), progress('p1'))
  transport.on('GET /blobs/p1', () => ok('"half of it"'))
  let answer: () => void = () => undefined
  transport.on('GET /blobs/p2', () => new Promise((resolve) => (answer = () => resolve(ok('"all of it"')))))
  const row = store.rows.get().find((each) => each.kind === 'call')
  if (!row) throw new Error('no row')
  store.folding.set(row.key, true)
  renderIn(app, store, <FeedRow row={row} index={2} total={3} active cards={new Map()} />)
  await screen.findByText('half of it')
  run.log.push(progress('p2'))
  ring()
  await waitFor(() => expect(transport.asked.some(({ path }) => path === '/blobs/p2')).toBe(true))
  expect(screen.getByText('half of it')).toBeTruthy()
  answer()
  await screen.findByText('all of it')
})

it('finds a call by a large value that the server found it in', async () => {
  const { store } = await body(state('c1', 'running'), referring({ resultRef }), finish())
  const found = (held: string[]) => search(store.runs, 'needle', new Set(held)).matches.map(({ inside }) => inside)
  expect(found([])).toEqual([])
  expect(found(['bb'])).toEqual([])
  expect(found(['aa'])).toEqual([true])
})
