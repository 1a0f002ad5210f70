import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ok, refused } from '../../test/fake'
import { finish, message, start } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { MessageRow } from './MessageRow'

async function messageRow() {
  const opened = await openThread([start(), message('Go left.'), finish()], 'completed')
  const row = opened.store.rows.get().find((each) => each.kind === 'message')
  if (row?.kind !== 'message') throw new Error('no message')
  opened.transport.on('POST /studio/threads/t1/fork', () => ok({ id: 't2', agentName: 'demo' }))
  opened.transport.on('POST /agents/demo/runs', () => ok({ runId: 'r2', threadId: 't2' }))
  renderIn(opened.app, opened.store, <MessageRow item={row.item} />)
  const edit = async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Message actions' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit and resend' }))
    const box = await screen.findByRole('textbox', { name: 'Edited message' })
    fireEvent.change(box, { target: { value: 'Go right.' } })
    return box
  }
  const posts = () =>
    opened.transport.asked.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body])
  return { ...opened, edit, posts }
}

const forked = ['/studio/threads/t1/fork', '{"messageId":"u1"}']

describe('a message that is edited', () => {
  it('goes to a new thread with all that stands before it, which is shown', async () => {
    const { app, edit, posts } = await messageRow()
    await edit()
    fireEvent.click(screen.getByRole('button', { name: 'Send in a new thread' }))
    await waitFor(() =>
      expect(posts()).toEqual([forked, ['/agents/demo/runs', '{"input":"Go right.","threadId":"t2"}']]),
    )
    expect(app.router.route.get()).toMatchObject({ kind: 'thread', threadId: 't2' })
  })

  it('stays, with the server’s words, when there can be no such thread', async () => {
    const { transport, edit } = await messageRow()
    transport.on('POST /studio/threads/t1/fork', () => refused(404, 'NOT_FOUND', 'no such message'))
    await edit()
    fireEvent.click(screen.getByRole('button', { name: 'Send in a new thread' }))
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('no such message'))
    expect(screen.getByRole('textbox', { name: 'Edited message' })).toHaveProperty('value', 'Go right.')
  })

  it('waits in the new thread’s composer when it is refused there', async () => {
    const { app, transport, edit } = await messageRow()
    transport.on('POST /agents/demo/runs', () => refused(409, 'THREAD_BUSY', 'busy'))
    fireEvent.keyDown(await edit(), { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(app.drafts.of('t2').get()).toBe('Go right.'))
  })

  it('is as it was after Escape', async () => {
    const { edit, posts } = await messageRow()
    fireEvent.keyDown(await edit(), { key: 'Escape' })
    expect(screen.getByText('Go left.')).toBeTruthy()
    expect(posts()).toEqual([])
  })
})
