import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { event, message, start } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { StatusLine } from './StatusLine'

it('a turn that nobody sees yet says that it is held back', async () => {
  const held = event('turn', { turn: 1, phase: 'start', held: true })
  const { app, store } = await openThread([start(), message('Go.'), held], 'running')
  renderIn(app, store, <StatusLine store={store} arming={false} />)
  expect(screen.getByText(/turn 1 · held back until it is checked/)).toBeTruthy()
})

it('a turn that is over is not held back any more', async () => {
  const turn = [
    event('turn', { turn: 1, phase: 'start', held: true }),
    event('turn', { turn: 1, phase: 'end', finishReason: 'tool_calls' }),
  ]
  const { app, store } = await openThread([start(), message('Go.'), ...turn], 'running')
  renderIn(app, store, <StatusLine store={store} arming={false} />)
  expect(screen.getByText(/turn 1/).textContent).not.toContain('held')
})
