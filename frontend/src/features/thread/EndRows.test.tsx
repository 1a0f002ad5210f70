import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { events, ok, refused } from '../../test/fake'
import { event, message, start, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { EndRow } from './EndRows'

it('an interrupted run offers to go on until another run did', async () => {
  const interrupted = event('error', { message: 'The app stopped.', code: 'RUN_INTERRUPTED' })
  const { app, store, transport } = await openThread([start(), message('Go.'), turn(1), interrupted], 'failed')
  const [run] = store.runs
  if (!run) throw new Error('the thread has no run')
  renderIn(app, store, <EndRow run={run} id="end" />)
  expect(screen.getByRole('button', { name: 'Continue' })).toBeTruthy()

  const first = { runId: 'r1', agentName: 'demo', status: 'failed', last: 4, createdAt: 1 }
  const second = { runId: 'r2', agentName: 'demo', status: 'running', last: 1, createdAt: 2 }
  transport.on('GET /threads/t1/runs', () => ok({ runs: [first, second] }))
  transport.on('GET /runs/r2/events', () => events([start('r2')], 0, 'running'))
  await act(() => store.refresh())
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull())
  expect(screen.getByRole('button', { name: 'Copy details' })).toBeTruthy()
})

it('what a run gave as JSON is shown with every digit, beside what was wrong with its end', async () => {
  const structured = '{"id":2512292042121000001,"city":"Oslo"}'
  const gave = event('finish', { messageId: 'm1', status: 'completed', truncated: true }).replace(
    '}',
    `,"structured":${structured}}`,
  )
  const { app, store } = await openThread([start(), message('Go.'), turn(1), gave], 'completed')
  const [run] = store.runs
  if (!run) throw new Error('the thread has no run')
  renderIn(app, store, <EndRow run={run} id="end" />)
  const block = screen.getByRole('group', { name: 'Structured output' })
  expect(within(block).getByText('2512292042121000001')).toBeTruthy()
  expect(within(block).getByRole('button', { name: 'Copy' })).toBeTruthy()
  expect(screen.getByText('The answer was cut at the token limit.')).toBeTruthy()
})

/** A failed run of an agent, drawn. */
async function failed(agentName: string, code: string, said = 'It ended.') {
  const log = [start(), message('Go.'), turn(1), event('error', { message: said, code })]
  const opened = await openThread(log, 'failed')
  const [run] = opened.store.runs
  if (!run) throw new Error('the thread has no run')
  renderIn(opened.app, opened.store, <EndRow run={{ ...run, agentName }} id="end" />)
  return opened
}

const offered = () => screen.getAllByRole('button').map((each) => each.textContent)

it.each([
  ['demo', 'LLM_UNAVAILABLE', ['Retry', 'Model settings', 'Copy details']],
  ['demo@there', 'LLM_UNAVAILABLE', ['Retry', 'Copy details']],
  ['demo@there', 'RUN_INTERRUPTED', ['Continue', 'Copy details']],
  ['demo@there', 'RUN_FORGOTTEN', ['Send in a new thread', 'Copy details']],
  ['by-hand', 'RUN_INTERRUPTED', ['Retry', 'Copy details']],
  ['by-hand:move@there', 'RUN_FORGOTTEN', ['Retry', 'Copy details']],
])('what can be done about a run of %s that failed with %s', async (agentName, code, want) => {
  await failed(agentName, code)
  expect(offered()).toEqual(want)
})

it('a run whose key was refused offers to fix the key', async () => {
  await failed('demo', 'LLM_UNAVAILABLE', 'a.example answered 401 Unauthorized. Check the API key.')
  expect(offered()).toEqual(['Retry', 'Fix key', 'Copy details'])
})

it('a run its server forgot is asked for anew with the same message, in a new thread', async () => {
  const { transport, app } = await failed('demo@there', 'RUN_FORGOTTEN')
  transport.on('POST /studio/threads', () => ok({ id: 't2', agentName: 'demo@there' }))
  transport.on('POST /agents/demo%40there/runs', () => ok({ runId: 'r2', threadId: 't2' }))
  fireEvent.click(screen.getByRole('button', { name: 'Send in a new thread' }))
  await waitFor(() => expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't2' }))
  const sent = transport.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)
  expect(sent).toEqual(['{"agentName":"demo@there"}', '{"input":"Go.","threadId":"t2"}'])
})

it('a run that cannot go on where it was, its server having forgotten the thread, is asked for anew', async () => {
  const { transport } = await failed('demo@there', 'RUN_INTERRUPTED')
  const words = 'there does not have this thread any more. Send the message in a new thread.'
  transport.on('POST /agents/demo%40there/runs', () => refused(409, 'RUN_FORGOTTEN', words))
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  await screen.findByText(words)
  expect(offered()).toEqual(['Send in a new thread', 'Copy details'])
  transport.on('POST /studio/threads', () => ok({ id: 't2', agentName: 'demo@there' }))
  transport.on('POST /agents/demo%40there/runs', () => ok({ runId: 'r2', threadId: 't2' }))
  fireEvent.click(screen.getByRole('button', { name: 'Send in a new thread' }))
  const started = () => transport.asked.filter(({ path }) => path.endsWith('/runs')).map(({ body }) => body)
  await waitFor(() => expect(started()).toContain('{"input":"Go.","threadId":"t2"}'))
})
