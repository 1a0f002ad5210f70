import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { Cell } from '../../state/cell'
import { approval, approvalRequired, call, finish, message, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { Composer } from './Composer'

const logs = {
  ended: [start(), message('Go.'), finish()],
  running: [start(), message('Go.'), turn(1)],
  paused: [
    ...[start(), message('Go.'), turn(1), ...call('c1', 'deploy', '{}'), state('c1', 'waiting')],
    ...[approvalRequired(approval('c1', '{}')), finish('paused')],
  ],
}

async function composer(log: keyof typeof logs, draft = '') {
  const { app, store } = await openThread(logs[log])
  const cells = { draft: new Cell(draft), queued: new Cell('') }
  const onSend = vi.fn((_input: string, _deny: boolean) => Promise.resolve(true))
  const onStop = vi.fn()
  const { live } = store.state.get()
  renderIn(app, store, <Composer {...cells} live={live} onChoice={() => undefined} onSend={onSend} onStop={onStop} />)
  const box = screen.getByRole('textbox', { name: 'Message' })
  return { ...cells, onSend, onStop, box }
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

describe('the composer', () => {
  it('sends on Enter and is empty then; Shift Enter makes a line', async () => {
    const { onSend, draft, box } = await composer('ended', 'Hello')
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true })
    expect(onSend).not.toHaveBeenCalled()
    fireEvent.keyDown(box, { key: 'Enter' })
    expect(onSend).toHaveBeenCalledWith('Hello', false)
    await waitFor(() => expect(draft.get()).toBe(''))
  })

  it('sends nothing that is blank', async () => {
    const { onSend, box } = await composer('ended', '  \n')
    fireEvent.keyDown(box, { key: 'Enter' })
    expect(onSend).not.toHaveBeenCalled()
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
  })

  it('keeps a message that was refused, and says why', async () => {
    const { onSend, draft } = await composer('ended', 'Hello')
    onSend.mockRejectedValue(new Error('the thread has a live run'))
    press('Send')
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('the thread has a live run'))
    expect(draft.get()).toBe('Hello')
  })

  it('sends nothing where nobody answers, says why, and leads to what helps', async () => {
    const { app, store } = await openThread(logs.ended)
    const cells = { draft: new Cell('Hello'), queued: new Cell('') }
    const onSend = vi.fn(() => Promise.resolve(true))
    const absent = { word: 'not attached', text: 'far:4831 is not attached here.', server: 'far:4831' }
    const props = { ...cells, absent, onSend, onChoice: () => undefined, onStop: () => undefined }
    renderIn(app, store, <Composer {...props} />)
    expect(screen.getByText('far:4831 is not attached here.')).toBeDefined()
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
    fireEvent.keyDown(screen.getByRole('textbox', { name: 'Message' }), { key: 'Enter' })
    expect([onSend.mock.calls, cells.draft.get()]).toEqual([[], 'Hello'])
    press('Attach a server')
    expect(app.setUp.get()).toEqual({ kind: 'attach', name: 'far:4831', address: 'http://far:4831' })
  })

  it('leaves the focus where a message that cannot go yet asks for something', async () => {
    const { onSend, draft, box } = await composer('ended', 'Hello')
    const asked = document.body.appendChild(document.createElement('button'))
    onSend.mockImplementation(async () => {
      asked.focus()
      return false
    })
    fireEvent.keyDown(box, { key: 'Enter' })
    await waitFor(() => expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', false))
    expect(document.activeElement).toBe(asked)
    expect(draft.get()).toBe('Hello')
    asked.remove()
  })

  it('queues a message while a run is live, in one chip that can be edited and removed', async () => {
    const { onSend, queued, draft } = await composer('running', 'Then this')
    press('Queue')
    expect(onSend).not.toHaveBeenCalled()
    expect(queued.get()).toBe('Then this')
    expect(screen.getByRole('note', { name: 'Queued message' }).textContent).toContain('Then this')
    press('Edit queued message')
    expect([queued.get(), draft.get()]).toEqual(['', 'Then this'])
    press('Queue')
    press('Remove queued message')
    expect(queued.get()).toBe('')
  })

  it('stops the live run', async () => {
    const { onStop } = await composer('running')
    press('Stop')
    expect(onStop).toHaveBeenCalledOnce()
  })

  it('denies with a message, or keeps it for after the decision', async () => {
    const { onSend, queued } = await composer('paused', 'Not there')
    press('After the decision')
    expect(queued.get()).toBe('Not there')
    press('Edit queued message')
    press('Deny with this message')
    await waitFor(() => expect(onSend).toHaveBeenCalledWith('Not there', true))
  })

  it('offers to send what stayed queued when its run did not complete', async () => {
    const { onSend, queued } = await composer('ended')
    queued.set('Left over')
    await screen.findByText('Not sent:')
    press('Send now')
    await waitFor(() => expect(onSend).toHaveBeenCalledWith('Left over', false))
  })
})
