import { act, screen, waitFor } from '@testing-library/react'
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
  renderIn(app, store, <EndRow run={run} />)
  expect(screen.getByRole('button', { name: 'Continue' })).toBeTruthy()

  const first = { runId: 'r1', agentName: 'demo', status: 'failed', last: 4, createdAt: 1 }
  const second = { runId: 'r2', agentName: 'demo', status: 'running', last: 1, createdAt: 2 }
  transport.on('GET /threads/t1/runs', () => ok({ runs: [first, second] }))
  transport.on('GET /runs/r2/events', () => events([start('r2')], 0, 'running'))
  await act(() => store.refresh())
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull())
  expect(screen.getByRole('button', { name: 'Copy details' })).toBeTruthy()
})
