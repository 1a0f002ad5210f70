import { configure, fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import { approval } from '../../test/logs'
import type { Select } from '../../ui/Select'
import { Toaster } from '../../ui/Toaster'
import RuleDialog from './RuleDialog'
import { RulesList } from './RulesList'

// The list of the browser; here its own stands in for it.
vi.mock('../../ui/Select', () => ({
  Select: ({ label, value, options, onChange }: ComponentProps<typeof Select>) => (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  ),
}))

// The server is asked once nothing has changed for a moment, which a busy machine makes longer.
configure({ asyncUtilTimeout: 4000 })

function app() {
  const transport = new FakeTransport()
  transport.on('POST /studio/rules/preview', ({ body }) =>
    ok({
      text: `Allows ${body}`,
      total: 1,
      asked: 3,
      matches: [{ runId: 'r', toolCallId: 'c', argumentsText: '{"n":1.0}', state: 'done', at: 1 }],
    }),
  )
  transport.on('POST /studio/rules', () => ok({ id: 'u1', name: 'deploy staging' }))
  return { transport, app: new App(transport) }
}

function dialog(argumentsText: string) {
  const it = app()
  const onSaved = vi.fn()
  const asked = {
    approvalId: 'a-c1',
    label: 'Deploy',
    agentName: 'demo',
    approval: { ...approval('c1', argumentsText), kind: 'approval' as const, sideEffects: [] },
  }
  render(
    <AppContext value={it.app}>
      <Toaster>
        <RuleDialog asked={asked} onClose={() => undefined} onSaved={onSaved} />
      </Toaster>
    </AppContext>,
  )
  const sent = (path: string): Record<string, unknown> =>
    JSON.parse(it.transport.asked.findLast((each) => each.method === 'POST' && each.path === path)?.body ?? '{}')
  return { ...it, onSaved, sent }
}

const choose = (name: string, value: string) =>
  fireEvent.change(screen.getByRole('combobox', { name }), { target: { value } })
const save = () => screen.getByRole('button', { name: 'Save and approve' })

describe('a rule made from a call', () => {
  it('C15: asks of every argument to be as it is until something else is chosen, and says so before it is saved', {
    timeout: 20_000,
  }, async () => {
    const { onSaved, sent } = dialog('{"to":"staging","id":2512292042121000001,"n":1.0}')
    expect(save()).toHaveProperty('disabled', true)
    await waitFor(() => expect(save()).toHaveProperty('disabled', false))
    expect(screen.getByText(/^Allows /)).toBeTruthy()
    expect(screen.getByText('It would have allowed 1 of 3 past calls.')).toBeTruthy()
    expect(screen.getByText('{"n":1.0}')).toBeTruthy()
    choose('to: what it must be', 'pattern')
    fireEvent.change(screen.getByRole('textbox', { name: 'to: the pattern' }), { target: { value: 'stag*' } })
    choose('n: what it must be', 'any')
    choose('How long', 'ever')
    choose('For which agents', 'every')
    expect(save()).toHaveProperty('disabled', true)
    const conditions = [
      { path: 'to', op: 'pattern', value: 'stag*' },
      { path: 'id', op: 'equals', value: '2512292042121000001' },
    ]
    await waitFor(() => expect(sent('/studio/rules/preview')).toEqual({ toolName: 'deploy', conditions }))
    await waitFor(() => expect(save()).toHaveProperty('disabled', false))
    fireEvent.click(save())
    await waitFor(() => expect(onSaved).toHaveBeenCalledOnce())
    expect(sent('/studio/rules')).toEqual({ toolName: 'deploy', conditions })
  })

  it('ends after a week unless told otherwise, and is for the agent that asked', async () => {
    const { sent } = dialog('{"to":"staging"}')
    await waitFor(() => expect(save()).toHaveProperty('disabled', false))
    const { expiresAt, agentName } = sent('/studio/rules/preview')
    expect(agentName).toBe('demo')
    expect(Number(expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(Number(expiresAt) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000)
  })

  it('is not saved, and nothing is approved, when the server refuses it', async () => {
    const { transport, onSaved } = dialog('{"to":"staging"}')
    transport.on('POST /studio/rules', () => refused(400, 'INVALID_INPUT', 'name: over 80 characters'))
    await waitFor(() => expect(save()).toHaveProperty('disabled', false))
    fireEvent.click(save())
    expect(await screen.findByText('name: over 80 characters')).toBeTruthy()
    expect(onSaved).not.toHaveBeenCalled()
  })
})

describe('the list of rules', () => {
  it('says of each what it allows, how often it did and how long it holds, switches it off and deletes it', async () => {
    const { app: it, transport } = app()
    const rule = {
      id: 'u1',
      name: 'deploy staging',
      text: 'Allows deploy.',
      enabled: true,
      uses: 2,
      lastUsedAt: 1_700_000_000_000,
    }
    let rules = [rule, { ...rule, id: 'u2', name: 'old', uses: 0, lastUsedAt: undefined, expiresAt: 1000 }]
    transport.on('GET /studio/rules', () => ok({ rules }))
    transport.on('PATCH /studio/rules/u1', () => ok({ ...rule, enabled: false }))
    transport.on('DELETE /studio/rules/u2', () => {
      rules = rules.slice(0, 1)
      return { status: 204, text: '' }
    })
    render(
      <AppContext value={it}>
        <RulesList />
      </AppContext>,
    )
    const items = await screen.findAllByRole('listitem')
    expect(items[0]?.textContent).toMatch(/deploy staging.*Allows deploy\.used 2 times · last .* · does not expire/)
    expect(items[1]?.textContent).toMatch(/never used · expired /)
    fireEvent.click(screen.getByRole('checkbox', { name: 'deploy staging: on' }))
    await waitFor(() => expect(transport.asked.find((each) => each.method === 'PATCH')?.body).toBe('{"enabled":false}'))
    fireEvent.click(screen.getByRole('button', { name: 'Delete old' }))
    expect(transport.asked.some((each) => each.method === 'DELETE')).toBe(false)
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1))
  })
})
