import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { events, ok, refused } from '../../test/fake'
import { call, done, event, finish, message, result, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { Inspector } from './Inspector'

vi.setConfig({ testTimeout: 20_000 }) // finding things by their role takes long on a busy machine

// jsdom lays nothing out: a list would draw no row.
vi.mock('virtua', async () => (await import('./testList')).lists)

const usage = { inputTokens: 1200, outputTokens: 40, cachedInputTokens: 200 }
const log = [
  start(),
  message('Go.'),
  event('turn', { turn: 1, phase: 'start', model: 'gpt-5' }),
  event('tool-call-start', { id: 'gone', toolName: 'deploy' }),
  event('tool-call-delta', { id: 'gone', argsTextDelta: '{"to":"sta' }),
  event('tool-call-end', { id: 'gone', dropped: true }),
  event('tool-result', { id: 'g', toolCallId: 'gone', dropped: true, reason: 'incomplete' }),
  event('turn', { turn: 1, phase: 'retry', model: 'gpt-5', reason: 'overloaded' }),
  ...call('c1', 'read_file', '{"path":"a.txt"}', { label: 'Read file', detail: 'a.txt' }),
  event('turn', { turn: 1, phase: 'end', model: 'gpt-5', usage, firstTokenMs: 1 }),
  state('c1', 'running'),
  result('c1', { result: { id: 2512292042121000001n.toString(), text: 'hello' }, durationMs: 84 }),
  turn(2),
  turn(2, 'end'),
  finish(),
]

async function inspector(lines = log, status = 'completed', agentName = 'demo') {
  const opened = await openThread(lines, status, agentName)
  opened.transport.on('GET /studio/state', () =>
    ok({ settings: { prices: [{ model: 'gpt*', input: 1, output: 10 }] } }),
  )
  await opened.app.studio.refresh()
  renderIn(opened.app, opened.store, <Inspector store={opened.store} onClose={() => undefined} />)
  const tab = (name: string) => act(() => fireEvent.click(screen.getByRole('tab', { name })))
  const select = (callId: string) => act(() => opened.app.inspector.selected.set({ runId: 'r1', turn: 1, callId }))
  return { ...opened, tab, select }
}

const line = (name: RegExp) => screen.getByRole('option', { name })

describe('the timeline', () => {
  it('has a line for each turn, try, model and call, the dropped ones with cause and bytes', async () => {
    await inspector()
    const lines = screen.getAllByRole('option').map((each) => each.textContent)
    expect(lines).toEqual([
      expect.stringMatching(/^Turn 12 tries/),
      expect.stringMatching(/^try 1failed/),
      expect.stringMatching(/^model/),
      'deploydropped10 B',
      'Read filedone84 ms',
      expect.stringMatching(/^Turn 2/),
      expect.stringMatching(/^model/),
    ])
  })

  it('says whose turn it is where several agents work', async () => {
    const of = (n: number, agentName: string, inside = {}) =>
      ['start', 'end'].map((phase) => event('turn', { turn: n, phase, agentName, ...inside }))
    await inspector([
      start(),
      ...of(1, 'boss'),
      ...call('c1', 'kid', '{}'),
      ...of(2, 'kid', { parentToolCallId: 'c1' }),
      result('c1', { result: 'done' }),
      ...of(3, 'boss'),
      finish(),
    ])
    const names = screen.getAllByRole('option').flatMap((each) => each.textContent?.match(/^Turn \d [a-z]+/) ?? [])
    expect(names).toEqual(['Turn 1 boss', 'Turn 2 kid', 'Turn 3 boss'])
  })

  it('shows what is unknown as unknown, and what is known in part as the least it is', async () => {
    await inspector()
    const row = (name: RegExp) =>
      within(screen.getByRole('row', { name }))
        .getAllByRole('cell')
        .map((it) => it.textContent)
    expect(row(/^Input tokens/)).toEqual(['≥ 1,200', 'unknown'])
    expect(row(/reasoning/)).toEqual(['unknown', 'unknown'])
    expect(row(/^Cost/)).toEqual(['≥ $0.0016', 'unknown'])
  })

  it('takes the thread to the row of a line, and shows the line of a row', async () => {
    const { app, select } = await inspector()
    fireEvent.click(line(/Read file/))
    expect(app.jump.get()).toEqual({ threadId: 't1', runId: 'r1', turn: 1, callId: 'c1', quiet: true })
    expect(line(/Read file/)).toHaveProperty('ariaSelected', 'true')
    select('gone')
    expect(line(/deploy/).getAttribute('aria-selected')).toBe('true')
    expect(screen.getByText(/Its arguments never came complete/)).toBeTruthy()
  })

  it('is moved in with the arrow keys', async () => {
    const { app } = await inspector()
    const list = screen.getByRole('listbox', { name: 'Timeline' })
    const active = () => document.getElementById(list.getAttribute('aria-activedescendant') ?? '')?.textContent
    const visited = ['Home', ...Array.from({ length: 6 }, () => 'ArrowDown')].map((key) => {
      fireEvent.keyDown(list, { key })
      return active()
    })
    expect(visited).toEqual(screen.getAllByRole('option').map((each) => each.textContent))
    expect(app.inspector.selected.get()).toEqual({ runId: 'r1', turn: 2, callId: undefined })
  })
})

describe('prices', () => {
  it('are saved as they were written', async () => {
    const { transport } = await inspector()
    transport.on('PUT /studio/settings', () => ok({}))
    fireEvent.click(screen.getByRole('button', { name: 'Prices…' }))
    fireEvent.change(screen.getByLabelText('Cached, price 1'), { target: { value: '0.25' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(transport.asked.at(-1)?.method).toBe('PUT'))
    expect(transport.asked.at(-1)?.body).toBe('{"prices":[{"model":"gpt*","input":1,"output":10,"cachedInput":0.25}]}')
  })

  it('of cached input that is left empty stays absent', async () => {
    const { transport } = await inspector()
    transport.on('PUT /studio/settings', () => ok({}))
    fireEvent.click(screen.getByRole('button', { name: 'Prices…' }))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(transport.asked.at(-1)?.method).toBe('PUT'))
    expect(transport.asked.at(-1)?.body).toBe('{"prices":[{"model":"gpt*","input":1,"output":10}]}')
  })

  it('that are no numbers are refused in words', async () => {
    await inspector()
    fireEvent.click(screen.getByRole('button', { name: 'Prices…' }))
    fireEvent.change(screen.getByLabelText('Input, price 1'), { target: { value: 'much' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(screen.getByRole('alert').textContent).toMatch(/a price is a number/)
  })
})

describe('a call', () => {
  const read = (content: string) => (tool: { on: (route: string, reply: () => ReturnType<typeof ok>) => unknown }) =>
    tool.on('GET /threads/t1', () =>
      ok({
        messages: [
          { id: 'r1/c1', role: 'tool', content, runId: 'r1', toolResults: [{ toolCallId: 'c1', result: 'x' }] },
        ],
      }),
    )

  it('shows what the model read, with its length and what was cut of it', async () => {
    const { transport, tab, select } = await inspector()
    read('ab\n[cut: 1000 of 51000 characters are not shown]')(transport)
    select('c1')
    tab('Call')
    const section = await screen.findByRole('region', { name: 'What the model read' })
    await waitFor(() => expect(section.textContent).toMatch(/48 characters, first sent with turn 2/))
    expect(section.textContent).toMatch(/Cut: 1,000 of 51,000 characters are not shown to the model/)
  })

  it('keeps every digit of the result, and shows what the server shows a user', async () => {
    const { transport, tab, select } = await inspector()
    read('x')(transport)
    const shown = [
      start(),
      ...call('c1', 'read_file', '{}', { label: 'Read file' }),
      result('c1', { result: '[hidden]', durationMs: 84 }),
    ]
    transport.on('GET /runs/r1/events', ({ path }) => {
      expect(path).toMatch('view=user')
      return events(shown, 0, 'completed')
    })
    select('c1')
    tab('Call')
    expect(screen.getByRole('region', { name: 'What the application got' }).textContent).toMatch('2512292042121000001')
    const user = screen.getByRole('region', { name: /user-facing/ })
    await waitFor(() => expect(user.textContent).toMatch(/Read file.*\[hidden\]/))
    expect(user.textContent).not.toMatch('a.txt')
  })

  it('that was dropped shows why and the bytes that came', async () => {
    const { tab, select } = await inspector()
    select('gone')
    tab('Call')
    expect(screen.getByRole('region', { name: 'Why it was dropped' }).textContent).toMatch(/Its try failed: overloaded/)
    expect(screen.getByText('{"to":"sta')).toBeTruthy()
    expect(screen.getByText('10 bytes')).toBeTruthy()
  })

  it('says in the server’s words why its history could not be read, and asks again', async () => {
    const { transport, tab, select } = await inspector()
    transport.on('GET /threads/t1', () => refused(500, 'INTERNAL_ERROR', 'the disk is full'))
    select('c1')
    tab('Call')
    expect(await screen.findByText(/the disk is full/)).toBeTruthy()
    read('as read')(transport)
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('as read')).toBeTruthy()
  })
})

describe('the raw tab', () => {
  it('has each try of a turn, its request and the pieces of its answer with their moments', async () => {
    const { transport, tab, select } = await inspector()
    const requests = [0, 1].map((n) => ({
      turn: 1,
      try: n,
      at: 1_700_000_000_000,
      agentName: 'demo',
      sent: `{"try":${n}}`,
      received: [{ after: 1204.5, text: `data: piece ${n}` }],
    }))
    transport.on('GET /runs/r1/requests', () => ok({ requests }))
    select('c1')
    tab('Raw')
    const first = await screen.findByRole('region', { name: 'Try 1 of 2' })
    expect(first.textContent).toMatch(/was taken back: overloaded/)
    expect(first.textContent).toMatch(/\+1\.20\d s.*data: piece 0/)
    expect(transport.asked.at(-1)?.path).toBe('/runs/r1/requests?turn=1')
  })

  it('says what of an answer is withheld, and why', async () => {
    const { transport, tab, select } = await inspector()
    const of = { turn: 1, at: 1_700_000_000_000, agentName: 'demo', sent: '{}' }
    const requests = [
      { ...of, try: 0, received: [{ after: 1, text: 'data: [withheld]' }], unread: 2 },
      { ...of, try: 1, received: [], withheld: true },
    ]
    transport.on('GET /runs/r1/requests', () => ok({ requests }))
    select('c1')
    tab('Raw')
    const first = await screen.findByRole('region', { name: 'Try 1 of 2' })
    expect(first.textContent).toMatch(/2 places of this answer cannot be read.*\[withheld\] stands in place of them/)
    expect(screen.getByRole('region', { name: 'Try 2 of 2' }).textContent).toMatch(
      /kept back: .* shown once it is checked/,
    )
  })
})

describe('the events', () => {
  it('stand as they came, found by type, by call and by text', async () => {
    const { app, tab, select } = await inspector()
    select('c1')
    tab('Events')
    const count = (text: string) => screen.findByText(text)
    await count('17 of 17')
    fireEvent.click(screen.getByRole('checkbox', { name: 'Only Read file' }))
    await count('5 of 17')
    expect(app.inspector.onlyCall.get()).toBe(true)
    fireEvent.change(screen.getByRole('searchbox', { name: 'Find in events' }), { target: { value: 'A.TXT\\"' } })
    await count('1 of 17')
    expect(screen.getByRole('link', { name: /Go to this moment/ }).getAttribute('href')).toBe('#/t/t1/r/r1/e/10')
    fireEvent.click(screen.getByRole('button', { name: /tool-call-delta/ }))
    expect(screen.getByText((_, element) => element?.tagName === 'PRE').textContent).toBe(log[9])
  })

  it('come on while the run goes on, each once', async () => {
    const { run, ring, tab } = await inspector(log.slice(0, -1), 'running')
    tab('Events')
    await screen.findByText('16 of 16')
    run.log.push(...done('c2', 'search'))
    ring()
    await screen.findByText('21 of 21')
  })
})

describe('the history', () => {
  it('shows what the next request sends and what had to be repaired', async () => {
    const { transport, tab } = await inspector()
    const messages = [
      { id: 'm1', role: 'system', content: 'You help.' },
      {
        id: 'r1/c1',
        role: 'tool',
        toolCallId: 'c1',
        content: '{"error":"…"}',
        repaired: 'The history has no result of this call.',
      },
    ]
    transport.on('GET /studio/threads/t1/next', () =>
      ok({ agentName: 'demo', model: 'gpt-5', tools: ['deploy'], messages, cut: { messages: 12, limit: 8000 } }),
    )
    tab('History')
    expect(await screen.findByText('Repaired: The history has no result of this call.')).toBeTruthy()
    expect(screen.getByText(/1 tool: deploy/)).toBeTruthy()
    expect(screen.getByText(/12 earlier messages left out: the agent reads at most 8,000 tokens/)).toBeTruthy()
  })

  it('of an agent on an attached server is known there alone, and is not asked for', async () => {
    const { transport, tab } = await inspector(log, 'completed', 'planner@there')
    tab('History')
    expect(screen.getByText(/is made by there, and known there alone/)).toBeTruthy()
    expect(transport.asked.some(({ path }) => path.endsWith('/next'))).toBe(false)
  })
})
