import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { boundWindow } from '../test/bound'
import { QuitDialog } from './QuitDialog'

/** The page in a window whose events a test sends. */
function opened() {
  const { app, events, host, emit } = boundWindow()
  const { unmount } = render(<QuitDialog closing={host.closing} />)
  return { app, events, unmount, close: (runs: unknown) => act(() => emit('closing', runs)) }
}

it('asks before live runs are stopped, in words that say what happens', () => {
  const { app, close } = opened()
  close(2)
  expect(app.Asking).toHaveBeenCalledTimes(1)
  expect(screen.getByRole('dialog', { name: 'Stop 2 runs and quit?' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Stop 2 runs and quit' }))
  expect(app.Quit).toHaveBeenCalledTimes(1)
})

it('begins at Cancel each time', async () => {
  const { close } = opened()
  for (const runs of [1, 2]) {
    close(runs)
    const cancel = screen.getByRole('button', { name: 'Cancel' })
    await waitFor(() => expect(document.activeElement).toBe(cancel))
    fireEvent.click(cancel)
  }
})

it('keeps the window when the answer is no, and asks again the next time', () => {
  const { app, close } = opened()
  close(1)
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  close(1)
  expect(screen.getByRole('button', { name: 'Stop 1 run and quit' })).toBeTruthy()
  expect(app.Quit).not.toHaveBeenCalled()
})

it('does not take a question it cannot show', () => {
  const { app, events, unmount, close } = opened()
  close('many')
  expect(app.Asking).not.toHaveBeenCalled()
  unmount()
  expect(events.size).toBe(1) // that of notifications stays
})
