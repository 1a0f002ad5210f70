import { act, fireEvent, screen } from '@testing-library/react'
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import { describe, expect, it, vi } from 'vitest'
import {
  approval,
  approvalRequired,
  call,
  done,
  event,
  finish,
  message,
  result,
  start,
  state,
  turn,
} from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { FeedRow } from '../thread/FeedRow'

const look = { label: 'Deploy', icon: 'rocket', detail: 'staging, api@4f1c2' }
const opening = () => [start(), message('Go.'), turn(1)]
const written = (args = '{"environment":"staging"}') => call('c1', 'deploy', args, look)
const asks = (fields: object = {}) => [
  state('c1', 'waiting', { approvalId: 'a-c1' }),
  approvalRequired(approval('c1', '{"environment":"staging"}', fields)),
  finish('paused'),
]

/** The row of the call c1 in a thread with this log. */
async function row(...log: string[]) {
  const opened = await openThread([...opening(), ...log])
  const found = opened.store.rows.get().find((each) => each.kind === 'call')
  if (!found) throw new Error('the call has no row')
  renderIn(opened.app, opened.store, <FeedRow row={found} index={2} total={10} active cards={new Map()} />)
  return { ...opened, article: screen.getByRole('article') }
}

describe('the row of a call', () => {
  it.each<[string, string[], string, string[]]>([
    [
      'input',
      [
        event('tool-call-start', { id: 'c1', toolName: 'deploy', presentation: look }),
        event('tool-call-delta', { id: 'c1', argsTextDelta: '{"environment":"sta' }),
      ],
      'writing',
      ['19 B', 'environment', 'sta'],
    ],
    ['proposed', written(), 'queued', []],
    [
      'waiting',
      [...written(), ...asks()],
      'needs approval',
      ['Changes something outside this machine.', 'environment', 'staging', 'Approve', 'Deny…'],
    ],
    [
      'waiting for a call in it',
      [
        ...written(),
        state('c1', 'running'),
        event('tool-call-start', { id: 'k1', toolName: 'upload', parentToolCallId: 'c1' }),
        event('tool-update', { toolCallId: 'c1', content: 'I look.' }),
        state('c1', 'waiting'),
      ],
      'waits for a call in it',
      ['I look.'],
    ],
    ['approved', [...written(), ...asks(), start(), state('c1', 'approved', { by: 'user' })], 'approved', ['by you']],
    [
      'approved as somebody edited it',
      [
        ...written(),
        ...asks(),
        start(),
        state('c1', 'approved', { by: 'user' }),
        event('tool-update', { toolCallId: 'c1', arguments: { n: 6 }, argumentsText: '{"n":6}' }),
      ],
      'approved',
      ['by you', 'edited'],
    ],
    [
      'running',
      [...written(), state('c1', 'running'), event('tool-update', { toolCallId: 'c1', content: 'step 2 of 3' })],
      'running',
      ['step 2 of 3'],
    ],
    [
      'done',
      [...written(), state('c1', 'running'), result('c1', { presentation: { ...look, summary: 'released' } })],
      'released',
      ['5 ms'],
    ],
    [
      'done',
      [
        ...written(),
        state('c1', 'running'),
        result('c1', { presentation: { ...look, summary: 'exit 3', tone: 'warning' } }),
      ],
      'exit 3',
      ['5 ms'],
    ],
    [
      'failed',
      [
        ...written(),
        state('c1', 'running'),
        result('c1', { result: null, error: 'no route', errorCode: 'TOOL_EXECUTION_FAILED' }),
      ],
      'failed',
      ['TOOL_EXECUTION_FAILED', 'no route', 'The model has not read this error yet.'],
    ],
    [
      'failed',
      [...written(), state('c1', 'running'), result('c1', { error: 'late', errorCode: 'TOOL_TIMEOUT' }), turn(2)],
      'timed out',
      ['TOOL_TIMEOUT', 'The model has read this error.'],
    ],
    [
      'denied',
      [
        ...written(),
        ...asks(),
        start(),
        state('c1', 'denied', { by: 'user', reason: 'wrong place' }),
        result('c1', { error: 'denied' }),
      ],
      'denied',
      ['you, ', 'Denied by you.', 'wrong place', 'staging'],
    ],
    [
      'expired',
      [...written(), ...asks(), start(), state('c1', 'expired'), result('c1', { error: 'expired' })],
      'expired',
      ['Nobody decided in time.'],
    ],
    [
      'cancelled',
      [...written(), state('c1', 'running'), state('c1', 'cancelled'), result('c1', { error: 'cancelled' })],
      'cancelled',
      ['5 ms'],
    ],
    [
      'cancelled',
      [...written(), state('c1', 'running'), state('c1', 'cancelled', { reason: 'still at work' })],
      'still at work',
      [],
    ],
    [
      'unknown',
      [
        ...written(),
        state('c1', 'running'),
        state('c1', 'unknown'),
        approvalRequired(approval('c1', '{"environment":"staging"}', { kind: 'unknown' })),
        finish('paused'),
      ],
      'unknown',
      ['The app stopped while this call ran.', 'Run again', 'Mark as done…', 'Give up…'],
    ],
  ])('%s', async (name, log, word, shown) => {
    const { article } = await row(...log)
    expect(article.dataset).toMatchObject({ callId: 'c1', tool: 'deploy', state: name.split(' ')[0] })
    expect(article.getAttribute('aria-posinset')).toBe('3')
    expect(article.getAttribute('aria-setsize')).toBe('10')
    expect(article.querySelector('[data-status]')?.textContent).toBe(word)
    expect(article.textContent).toContain('Deploy')
    expect(article.textContent).toContain('staging, api@4f1c2')
    for (const words of shown) expect(article.textContent).toContain(words)
  })

  it('draws a result with a warning in amber, without a check mark', async () => {
    const { article } = await row(...written(), result('c1', { presentation: { ...look, tone: 'warning' } }))
    const status = article.querySelector('[data-status]')
    expect(status?.className).toContain('text-wait')
    expect(status?.textContent).toBe('done, with a warning')
    expect(status?.querySelector('path')?.getAttribute('d')).toBe(TriangleAlert[0]?.[1].d)
  })

  it('is drawn from its presentation, else by the name of its tool', async () => {
    const { article } = await row(...done('c1', 'odd.tool'))
    expect(article.textContent).toContain('odd.tool')
  })

  it('opens and closes by its button, and stays as it was put', async () => {
    const { article, run, ring, store } = await row(...done('c1', 'deploy', '{}', look))
    expect(article.textContent).not.toContain('Result')
    fireEvent.click(screen.getByRole('button', { name: /^Deploy/ }))
    expect(article.textContent).toContain('Result')
    run.log.push(turn(2))
    ring()
    await vi.waitFor(() => expect(store.runs[0]?.transcript.turns).toHaveLength(2))
    expect(article.textContent).toContain('Result')
  })

  it('changes with its call while it is on the screen', async () => {
    const { article, run, ring } = await row(...written(), state('c1', 'running'))
    run.log.push(result('c1'))
    await act(async () => ring())
    await vi.waitFor(() => expect(article.dataset.state).toBe('done'))
    expect(article.querySelector('[data-status]')?.textContent).toBe('done')
  })

  it('strikes the label of a call that was refused', async () => {
    const { article } = await row(...written(), ...asks(), start(), state('c1', 'denied', { by: 'ann' }))
    expect(screen.getByText('Deploy').className).toContain('line-through')
    expect(article.textContent).toContain('ann, ')
  })

  it('marks what hides in a label and in its detail line', async () => {
    const { article } = await row(...done('c1', 'x', '{}', { label: 'Read\u202e', detail: 'a\u200bb' }))
    expect(article.textContent).toContain('Read\\u202e')
    expect(article.textContent).toContain('a\\u200bb')
  })
})

describe('the words of an agent that works in a call', () => {
  const words = 'I look at the **charts**.'
  const told = event('tool-update', { toolCallId: 'c1', content: words })
  const bold = (article: HTMLElement) => article.querySelector('strong')?.textContent

  it('are Markdown while it works and once it gave its answer', async () => {
    const inside = event('turn', { turn: 2, phase: 'start', parentToolCallId: 'c1' })
    const { article, store, run, ring } = await row(...written(), state('c1', 'running'), inside, told)
    act(() => store.folding.set('r1/call:c1', true))
    expect(bold(article)).toBe('charts')
    run.log.push(result('c1', { result: 'All **fine**.' }))
    act(ring)
    await vi.waitFor(() => expect(bold(article)).toBe('fine'))
  })

  it('those of any other call stand as they are', async () => {
    const { article, store } = await row(...written(), state('c1', 'running'), told)
    act(() => store.folding.set('r1/call:c1', true))
    expect(article.textContent).toContain(words)
    expect(bold(article)).toBeUndefined()
  })
})
