import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { events, ok } from '../../test/fake'
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
