import { fireEvent, screen } from '@testing-library/react'
import axe from 'axe-core'
import { expect, it } from 'vitest'
import { Cell } from '../../state/cell'
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
import { Composer } from './Composer'
import { FeedRow } from './FeedRow'

const args = '{"environment":"staging"}'

it('a thread with rows of every kind has no fault a machine can find', async () => {
  const { app, store } = await openThread(
    [
      ...[
        start(),
        message('Go.'),
        turn(1),
        event('text-delta', { id: 'x', delta: 'I **will**. [Link](https://a.example)' }),
      ],
      ...[event('reasoning-delta', { id: 'y', delta: 'Hm.' }), ...done('c1', 'read_file')],
      ...[
        ...call('c2', 'run', '{}'),
        result('c2', { error: 'no', errorCode: 'TOOL_TIMEOUT', details: { terminal: 'x' } }),
      ],
      ...[...call('c3', 'edit', '{}'), result('c3', { details: { diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' } })],
      ...[event('weather'), ...call('c4', 'deploy', args), state('c4', 'waiting')],
      ...[approvalRequired(approval('c4', args)), finish('paused')],
    ],
    'paused',
  )
  const rows = store.rows.get()
  renderIn(
    app,
    store,
    <main>
      <h1>Title</h1>
      <div role="feed" aria-label="Thread">
        {rows.map((row, index) => (
          <FeedRow key={row.key} row={row} index={index} total={rows.length} active={index === 0} cards={new Map()} />
        ))}
      </div>
      <Composer
        draft={new Cell('')}
        queued={new Cell('Then this')}
        live={store.state.get().live}
        onChoice={() => undefined}
        onSend={() => Promise.resolve(true)}
        onStop={() => undefined}
      />
    </main>,
  )
  for (const button of screen.getAllByRole('button', { expanded: false })) fireEvent.click(button)
  // jsdom lays nothing out: contrast is computed in UI.md's tokens, headings follow the page they stand in.
  const { violations } = await axe.run(document.body, {
    rules: { 'color-contrast': { enabled: false }, 'heading-order': { enabled: false }, region: { enabled: false } },
  })
  expect(violations.map((each) => [each.id, each.nodes.map((node) => node.html)])).toEqual([])
}, 20_000)
