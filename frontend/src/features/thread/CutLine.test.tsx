import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { done, event, message, start, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { FeedRow } from './FeedRow'

const cut = { messages: 12, beforeMessageId: 'r1_2', limit: 8000 }
const log = [
  start(),
  message('Go.'),
  turn(1),
  ...done('c1', 'look'),
  turn(2),
  ...done('c2', 'edit'),
  event('turn', { turn: 3, phase: 'start', cut, held: true }),
  event('turn', { turn: 3, phase: 'retry', reason: 'The answer is no trip:\n at /days: it is 0', held: true }),
  event('turn', { turn: 3, phase: 'end' }),
]

async function thread() {
  const { app, store } = await openThread(log, 'running')
  const rows = store.rows
    .get()
    .map((row, index) => <FeedRow key={row.key} row={row} index={index} total={9} active={false} cards={new Map()} />)
  renderIn(app, store, rows)
  return { app, store }
}

it('a line stands where the newest request cut the history, and the note under its turn leads there', async () => {
  const { app } = await thread()
  const line = screen.getByText(
    'The history was cut here: the newest request did not send the 12 messages above, but for the message it answers.',
  )
  const row = line.closest('[role="article"]')
  expect(row?.getAttribute('data-call-id')).toBe('c2')
  const show = screen.getByRole('button', { name: 'Show where' })
  expect(show.tabIndex).toBe(0) // Enter in its row leads to the inspector
  fireEvent.click(show)
  expect(app.jump.get()).toEqual({ threadId: 't1', runId: 'r1', callId: 'c2' })
})

it('the footer of a turn says that it was held back, and why it was tried again', async () => {
  await thread()
  expect(screen.getByText(/^history cut: /).textContent).toBe(
    'history cut: 12 earlier messages not sent to the model, held back until it was checked, tried again: The answer is no trip: at /days: it is 0',
  )
})
