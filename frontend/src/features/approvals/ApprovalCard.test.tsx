import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { refused } from '../../test/fake'
import { approval, approvalRequired, call, finish, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { ApprovalCard } from './ApprovalCard'

// The editor of the browser; here a field of the same name stands in for it.
vi.mock('./ArgumentsEditor', () => ({
  default: ({ label, initial, onChange }: { label: string; initial: string; onChange: (text: string) => void }) => (
    <textarea aria-label={label} defaultValue={initial} onChange={(event) => onChange(event.target.value)} />
  ),
}))

const args = '{"n":1.0,"id":2512292042121000001}'

async function card(fields: object = {}) {
  const log = [start(), turn(1), ...call('c1', 'deploy', args), state('c1', 'waiting', { approvalId: 'a-c1' })]
  const opened = await openThread([...log, approvalRequired(approval('c1', args, fields)), finish('paused')], 'paused')
  const [waiting] = opened.store.state.get().waiting
  if (!waiting) throw new Error('nothing waits')
  opened.transport.on('POST /approvals/a-c1/decision', () => ({ status: 200, text: '{}' }))
  renderIn(opened.app, opened.store, <ApprovalCard call={waiting.call} />)
  const decided = () => opened.transport.asked.filter((each) => each.method === 'POST').map((each) => each.body)
  return { ...opened, decided }
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))

describe('an approval card', () => {
  it('approves the arguments it shows, by their hash', async () => {
    const { decided } = await card()
    press('Approve')
    await waitFor(() => expect(decided()).toEqual(['{"approved":true,"argumentsHash":"hash-c1"}']))
  })

  it('denies with a reason', async () => {
    const { decided } = await card()
    press('Deny…')
    fireEvent.change(screen.getByRole('textbox', { name: 'Reason' }), { target: { value: ' wrong folder ' } })
    press('Deny')
    await waitFor(() =>
      expect(decided()).toEqual(['{"approved":false,"reason":"wrong folder","argumentsHash":"hash-c1"}']),
    )
  })

  it('sends no arguments when none were edited', async () => {
    const { decided } = await card()
    press('Edit arguments')
    await screen.findByRole('textbox', { name: 'Arguments as JSON' })
    press('Approve edited')
    await waitFor(() => expect(decided()).toEqual(['{"approved":true,"argumentsHash":"hash-c1"}']))
  })

  it('sends edited arguments as they were typed, and none that are not JSON', async () => {
    const { decided } = await card()
    press('Edit arguments')
    const editor = await screen.findByRole('textbox', { name: 'Arguments as JSON' })
    expect(editor.textContent).toContain('2512292042121000001')
    fireEvent.change(editor, { target: { value: '{"n":1e' } })
    expect(screen.getByRole('button', { name: 'Approve edited' })).toHaveProperty('disabled', true)
    expect(screen.getByRole('alert').textContent).toContain('Not JSON')
    const edited = '{"n":1.00, "id":1}'
    fireEvent.change(editor, { target: { value: edited } })
    press('Approve edited')
    await waitFor(() => expect(decided()).toHaveLength(1))
    expect(JSON.parse(decided()[0] ?? '')).toMatchObject({
      approved: true,
      argumentsText: edited,
      argumentsHash: 'hash-c1',
    })
  })

  it('keeps the edit and says why when the server refuses it', async () => {
    const { transport } = await card()
    transport.on('POST /approvals/a-c1/decision', () =>
      refused(400, 'INVALID_INPUT', 'Invalid arguments: n must be a number'),
    )
    press('Edit arguments')
    fireEvent.change(await screen.findByRole('textbox', { name: 'Arguments as JSON' }), {
      target: { value: '{"n":"x"}' },
    })
    press('Approve edited')
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('n must be a number'))
    expect(screen.getByRole('textbox', { name: 'Arguments as JSON' })).toHaveProperty('value', '{"n":"x"}')
  })

  it('says when somebody else was first', async () => {
    const { transport } = await card()
    transport.on('POST /approvals/a-c1/decision', () => refused(409, 'CONFLICT', 'already approved by ann'))
    press('Approve')
    expect(await screen.findAllByText(/already approved by ann/)).not.toHaveLength(0)
  })

  it('takes one press for one decision', async () => {
    const { transport, decided } = await card()
    transport.on('POST /approvals/a-c1/decision', () => new Promise(() => undefined))
    press('Approve')
    press('Approve')
    await waitFor(() => expect(decided()).toHaveLength(1))
    expect(screen.getByRole('button', { name: 'Deny…' })).toHaveProperty('disabled', true)
  })

  it('decides nothing without a connection, or when its time is over', async () => {
    const { app } = await card()
    app.connection.set({ state: 'lost', since: 1, retryAt: 2, reason: 'gone' })
    await waitFor(() => expect(screen.getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', true))
    expect(screen.getByText('Decisions need the connection, which is lost.')).toBeTruthy()
  })

  it('offers nothing that has expired', async () => {
    await card({ expiresAt: 1000 })
    expect(screen.getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', true)
    expect(screen.getByText('The time to decide is over.')).toBeTruthy()
  })

  it('shows the preview, and the arguments in full', async () => {
    await card({ details: { diff: '--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-old\n+new\n' } })
    const group = screen.getByRole('group', { name: /^Approval/ })
    expect(group.textContent).toContain('x.go')
    for (const exact of ['1.0', '2512292042121000001']) expect(group.textContent).toContain(exact)
  })

  it('hands in the result of a call nobody knows, digit by digit', async () => {
    const { decided } = await card({ kind: 'unknown' })
    press('Mark as done…')
    const editor = await screen.findByRole('textbox', { name: 'Result as JSON' })
    fireEvent.change(editor, { target: { value: '{"id":2512292042121000001}' } })
    press('Hand in this result')
    await waitFor(() =>
      expect(decided()).toEqual(['{"approved":true,"argumentsHash":"hash-c1","result":{"id":2512292042121000001}}']),
    )
  })
})
