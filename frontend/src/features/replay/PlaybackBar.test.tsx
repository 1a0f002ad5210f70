import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { approval, approvalRequired, call, done, event, finish, message, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { PlaybackBar } from './PlaybackBar'
import { nearest } from './Scrubber'
import { eventWords } from './words'

const deploy = { label: 'Deploy', icon: 'rocket' }
const log = [
  ...[start(), message('Go.'), turn(1), ...done('c1', 'read_file')], // 1 to 8
  ...call('c2', 'deploy', '{}', deploy), // 9 to 11
  ...[state('c2', 'waiting'), approvalRequired(approval('c2', '{}')), finish('paused')],
]

/** A thread whose run is played back, with its bar. */
async function played(lines: string[], status = 'paused') {
  const { app, store } = await openThread(lines, status)
  store.play('r1', 'end')
  renderIn(app, store, <PlaybackBar store={store} />)
  const slider = await screen.findByRole('slider', { name: 'Event' })
  const playback = store.playback.get()
  if (!playback) throw new Error('nothing is played')
  return { store, playback, slider }
}

describe('the bar of a playback', () => {
  it('says where it stands and what that event is', async () => {
    const { playback, slider } = await played(log)
    expect(screen.getByText('event 14 of 14')).toBeDefined()
    playback.seek(12)
    await waitFor(() => expect(slider.getAttribute('aria-valuetext')).toBe('event 12, Deploy waiting'))
    expect([slider.getAttribute('aria-valuenow'), slider.getAttribute('aria-valuemax')]).toEqual(['12', '14'])
  })

  it.each([
    ['ArrowLeft', false, 13],
    ['ArrowLeft', true, 1],
    ['PageDown', false, 1],
    ['Home', false, 1],
    ['End', false, 14],
  ])('moves with %s, Shift %s, to event %i', async (key, shiftKey, at) => {
    const { playback, slider } = await played(log)
    fireEvent.keyDown(slider, { key, shiftKey })
    expect(playback.state.get().at).toBe(at)
  })

  it('goes from mark to mark of a kind by the legend', async () => {
    const { playback } = await played(log)
    const calls = screen.getByRole('button', { name: '2 calls, go to the next' })
    fireEvent.click(calls)
    expect(playback.state.get().at).toBe(4)
    fireEvent.click(calls)
    expect(playback.state.get().at).toBe(9)
    fireEvent.click(screen.getByRole('button', { name: '1 approval, go to the next' }))
    expect(playback.state.get().at).toBe(12)
    expect(screen.queryByRole('button', { name: /drop/ })).toBeNull()
  })

  it('plays and pauses with Space on the page, but not in a field', async () => {
    const { playback } = await played(log)
    fireEvent.keyDown(document.body, { key: ' ' })
    await screen.findByRole('button', { name: 'Pause (Space)' })
    fireEvent.keyDown(document.body, { key: ' ' })
    expect(playback.state.get().playing).toBe(false)
    const field = document.body.appendChild(document.createElement('input'))
    fireEvent.keyDown(field, { key: ' ' })
    field.remove()
    expect(playback.state.get().playing).toBe(false)
  })

  it('is gone once the thread is live again', async () => {
    const { store } = await played(log)
    fireEvent.click(screen.getByRole('button', { name: 'Live' }))
    expect(store.playback.get()).toBeUndefined()
    await waitFor(() => expect(screen.queryByRole('slider')).toBeNull())
  })
})

describe('the words of an event', () => {
  const dropped = event('tool-result', { id: 'x', toolCallId: 'c2', dropped: true, reason: 'discarded' })
  const lines = [
    ...[start(), message('Go.'), turn(1), event('reasoning-delta', { id: 'r', delta: 'Hm.' })],
    ...[...call('c2', 'deploy', '{}', deploy), dropped, event('turn', { turn: 1, phase: 'retry' })],
    ...[event('weather', { sun: true }), '{"type":5}', event('error', { message: 'no' })],
  ]
  it.each([
    [1, 'the run starts'],
    [2, 'your message'],
    [3, 'turn 1 starts'],
    [4, 'the agent reasons'],
    [5, 'Deploy writing'],
    [7, 'Deploy queued'],
    [8, 'Deploy dropped'],
    [9, 'turn 1 is tried again'],
    [10, 'an event of a kind not known here: weather'],
    [11, 'not an event'],
    [12, 'the run failed'],
  ])('at %i are “%s”', async (n, words) => {
    const { playback } = await played(lines, 'failed')
    playback.seek(n)
    expect(eventWords(playback)).toBe(words)
  })
})

it('the pointer is on the nearest mark within reach, and on what is rarer than a call before one', () => {
  const marks = [
    { n: 10, kind: 'call' as const, label: 'a' },
    { n: 12, kind: 'failure' as const, label: 'a' },
    { n: 30, kind: 'call' as const, label: 'b' },
  ]
  expect([9, 10, 20, 29].map((n) => nearest(marks, n, 3)?.n)).toEqual([12, 12, undefined, 30])
})
