import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { guardTime } from '../../state/guard'
import { ok, refused } from '../../test/fake'
import { approval, approvalRequired, call, finish, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { ApprovalCard } from './ApprovalCard'

// The editor of the browser; here a field of the same name stands in for it.
vi.mock('./ArgumentsEditor', () => ({
  default: ({ label, initial, onChange }: { label: string; initial: string; onChange: (text: string) => void }) => (
    <textarea aria-label={label} defaultValue={initial} onChange={(event) => onChange(event.target.value)} />
  ),
}))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const parameters = { type: 'object', properties: { n: { type: 'number' }, id: { type: 'integer' } }, required: ['n'] }

/** The cards of calls that wait together. */
async function cards(args: Record<string, string>, fields: object = {}) {
  const ids = Object.keys(args)
  const log = [start(), turn(1)]
  for (const id of ids) log.push(...call(id, 'deploy', args[id] ?? ''), state(id, 'waiting', { approvalId: `a-${id}` }))
  log.push(approvalRequired(...ids.map((id) => approval(id, args[id] ?? '', fields))), finish('paused'))
  const opened = await openThread(log, 'paused')
  const { transport, store, app } = opened
  transport.on('GET /tools', () => ok({ tools: [{ name: 'deploy', description: '', parameters }] }))
  for (const id of ids) transport.on(`POST /approvals/a-${id}/decision`, () => ok('{}'))
  const calls = store.state.get().waiting.map((each) => each.call)
  renderIn(
    app,
    store,
    calls.map((each) => <ApprovalCard key={each.id} call={each} />),
  )
  const decided = () =>
    transport.asked.filter((each) => each.method === 'POST').map((each) => [each.path.split('/')[2], each.body])
  const groups = screen.getAllByRole('group', { name: /^Approval/ })
  const card = (at: number) => within(groups[at] ?? document.body)
  return { ...opened, decided, card }
}

/** An observer that tells when it is told to. */
function observers() {
  const tell: (() => void)[] = []
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
        tell.push(() => seen([{ isIntersecting: true }]))
      }
      observe() {
        return undefined
      }
      disconnect() {
        return undefined
      }
    },
  )
  return (at: number) => act(() => tell[at]?.())
}

describe('C13: an approval', () => {
  it('counts only once the end of the arguments was on the screen', async () => {
    const see = observers()
    const { card, decided } = await cards({ c1: `{"n":1,"text":"${'x'.repeat(3000)}"}` })
    expect(card(0).getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', true)
    expect(card(0).getByRole('button', { name: 'Always allow…' })).toHaveProperty('disabled', true)
    expect(card(0).getByText(/Scroll to the end/)).toBeTruthy()
    expect(card(0).getByRole('button', { name: 'Deny…' })).toHaveProperty('disabled', false)
    see(0)
    expect(card(0).queryByText(/Scroll to the end/)).toBeNull()
    fireEvent.click(card(0).getByRole('button', { name: 'Approve' }))
    await waitFor(() => expect(decided()).toHaveLength(1))
  })
})

describe('decisions of a run that is elsewhere', () => {
  it('are for later while the run cannot be read on where it is', async () => {
    const { store, card } = await cards({ c1: '{"n":1}' })
    const told = (notice?: string) =>
      act(async () => store.ring({ runId: 'r1', threadId: 't1', last: 0, status: 'paused', notice }))
    await told('Connection to there lost, trying again')
    expect(card(0).getByRole('button', { name: /^Deny/ })).toHaveProperty('disabled', true)
    card(0).getByText(/Connection to there lost, trying again/)
    await told()
    await waitFor(() => expect(card(0).getByRole('button', { name: /^Deny/ })).toHaveProperty('disabled', false))
  })
})

describe('C18: of two calls that wait', () => {
  it('each keeps its own form and its own decision', async () => {
    const { card, decided } = await cards({ c1: '{"n":1}', c2: '{"n":2}' })
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    fireEvent.click(card(0).getByRole('tab', { name: 'JSON' }))
    const editor = await card(0).findByRole('textbox', { name: 'Arguments as JSON' })
    fireEvent.change(editor, { target: { value: '{"n":11}' } })
    fireEvent.click(card(1).getByRole('button', { name: 'Approve' }))
    await waitFor(() => expect(decided()).toEqual([['a-c2', '{"approved":true,"argumentsHash":"hash-c2"}']]))
    expect(card(0).getByRole('textbox', { name: 'Arguments as JSON' })).toHaveProperty('value', '{"n":11}')
    fireEvent.click(card(0).getByRole('button', { name: 'Approve edited' }))
    await waitFor(() => expect(decided()).toHaveLength(2))
    expect(decided()[1]?.[1]).toContain('{\\"n\\":11}')
  })

  it('the second cannot be approved by the click that approved the first', async () => {
    const { card, decided } = await cards({ c1: '{"n":1}', c2: '{"n":2}' })
    vi.useFakeTimers()
    fireEvent.click(card(0).getByRole('button', { name: 'Approve' }))
    await act(() => vi.advanceTimersByTimeAsync(10))
    expect(card(1).getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', true)
    fireEvent.click(card(1).getByRole('button', { name: 'Approve' }))
    await act(() => vi.advanceTimersByTimeAsync(guardTime))
    expect(decided()).toHaveLength(1)
    expect(card(1).getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', false)
  })
})

describe('C9: a call whose time is over', () => {
  it('can be approved until then, and afterwards only be given up', async () => {
    vi.useFakeTimers({ now: 5000 })
    const { card, decided } = await cards({ c1: '{"n":1}' }, { expiresAt: 8000 })
    expect(card(0).getByRole('button', { name: 'Approve' })).toHaveProperty('disabled', false)
    expect(card(0).getByText('expires in 3 s')).toBeTruthy()
    await act(() => vi.advanceTimersByTimeAsync(3400))
    for (const name of ['Approve', 'Edit arguments']) {
      expect(card(0).getByRole('button', { name })).toHaveProperty('disabled', true)
    }
    expect(card(0).getByText('expired')).toBeTruthy()
    fireEvent.click(card(0).getByRole('button', { name: 'Go on without it' }))
    await act(() => vi.advanceTimersByTimeAsync(10))
    expect(decided()).toEqual([['a-c1', '{"approved":false,"argumentsHash":"hash-c1"}']])
  })
})

describe('C7: an edit', () => {
  it('that the tool refuses is kept, and the fault stands at its field', async () => {
    const { transport, card } = await cards({ c1: '{"n":5,"id":2512292042121000001}' })
    transport.on('POST /approvals/a-c1/decision', () =>
      refused(400, 'INVALID_INPUT', "Invalid arguments: at '/n': only 6 will do"),
    )
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    await waitFor(() =>
      expect(card(0).getByRole('tab', { name: 'Form' }).getAttribute('aria-disabled')).not.toBe('true'),
    )
    fireEvent.click(card(0).getByRole('tab', { name: 'Form' }))
    const n = await card(0).findByRole('textbox', { name: 'n' })
    fireEvent.change(n, { target: { value: '7.0' } })
    fireEvent.click(card(0).getByRole('button', { name: 'Approve edited' }))
    await waitFor(() => expect(n.getAttribute('aria-invalid')).toBe('true'))
    expect(document.getElementById(n.getAttribute('aria-describedby') ?? '')?.textContent).toContain('only 6 will do')
    const sent = transport.asked.findLast((each) => each.method === 'POST')?.body ?? '{}'
    expect(JSON.parse(sent).argumentsText.replaceAll(/\s/g, '')).toBe('{"n":7.0,"id":2512292042121000001}')
    fireEvent.change(n, { target: { value: '6' } })
    expect(n.getAttribute('aria-invalid')).toBeNull()
  })

  it('opens in the form, with the focus in it; what does not fit that opens as JSON', async () => {
    localStorage.removeItem('callboard.edit')
    const { card } = await cards({ c1: '{"n":1}', c2: '{"n":"one"}' })
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    const n = await card(0).findByRole('textbox', { name: 'n' })
    await waitFor(() => expect(document.activeElement).toBe(n))
    fireEvent.click(card(1).getByRole('button', { name: 'Edit arguments' }))
    expect(await card(1).findByRole('textbox', { name: 'Arguments as JSON' })).toBeTruthy()
  })

  it('goes from JSON to the form and back without a change', async () => {
    const { card } = await cards({ c1: '{"id":1.0,"n":1e400}' })
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    fireEvent.click(card(0).getByRole('tab', { name: 'JSON' }))
    const before = await card(0).findByRole('textbox', { name: 'Arguments as JSON' })
    const text = before.textContent
    await waitFor(() =>
      expect(card(0).getByRole('tab', { name: 'Form' }).getAttribute('aria-disabled')).not.toBe('true'),
    )
    fireEvent.click(card(0).getByRole('tab', { name: 'Form' }))
    expect(await card(0).findByRole('textbox', { name: 'n' })).toHaveProperty('value', '1e400')
    fireEvent.click(card(0).getByRole('tab', { name: 'JSON' }))
    expect((await card(0).findByRole('textbox', { name: 'Arguments as JSON' })).textContent).toBe(text)
  })

  it('of arguments with a masked secret does not run the mask', async () => {
    const { card, decided } = await cards({ c1: '{"n":"[redacted]"}' }, { masked: true })
    expect(card(0).getByText(/A secret is masked here/)).toBeTruthy()
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    const text = await card(0).findByRole('textbox', { name: 'Arguments as JSON' })
    const approve = () => card(0).getByRole('button', { name: 'Approve edited' })
    fireEvent.change(text, { target: { value: '{"n":"x [redacted]"}' } })
    expect(approve()).toHaveProperty('disabled', true)
    fireEvent.change(text, { target: { value: '{"n":"the secret"}' } })
    expect(approve()).toHaveProperty('disabled', false)
    fireEvent.click(approve())
    await waitFor(() => expect(decided()).toHaveLength(1))
  })

  it('says so where the arguments are hidden', async () => {
    const { card } = await cards({ c1: '{}' }, { hidden: true })
    expect(card(0).getByText('The arguments are hidden in this view.')).toBeTruthy()
    expect(card(0).queryByText('{}')).toBeNull()
  })

  it('may write what a mask looks like where nothing is masked', async () => {
    const { card } = await cards({ c1: '{"n":"[redacted]"}' })
    expect(card(0).queryByText(/A secret is masked here/)).toBeNull()
    fireEvent.click(card(0).getByRole('button', { name: 'Edit arguments' }))
    const text = await card(0).findByRole('textbox', { name: 'Arguments as JSON' })
    fireEvent.change(text, { target: { value: '{"n":"x [redacted]"}' } })
    expect(card(0).getByRole('button', { name: 'Approve edited' })).toHaveProperty('disabled', false)
  })

  it('leaves the form by Escape, with nothing decided', async () => {
    const { card, decided } = await cards({ c1: '{"n":1}' })
    fireEvent.click(card(0).getByRole('button', { name: 'Deny…' }))
    fireEvent.keyDown(card(0).getByRole('textbox', { name: 'Reason' }), { key: 'Escape' })
    expect(card(0).getByRole('button', { name: 'Approve' })).toBeTruthy()
    expect(decided()).toEqual([])
  })
})
