import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { call, result, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { CallRow } from '../call/CallRow'

it.each([
  ['rule:safe \u202ecommands', 'approved by rule: safe \\u202ecommands'],
  ['user', undefined],
])('C20: a call that %s allowed names it', async (by, text) => {
  const log = [start(), turn(1), ...call('c1', 'run', '{}'), state('c1', 'approved', { by }), state('c1', 'running')]
  const { app, store } = await openThread([...log, result('c1')])
  const row = store.rows.get().find((each) => each.kind === 'call')
  if (row?.kind !== 'call') throw new Error('there is no call')
  renderIn(app, store, <CallRow row={row} actions={null} />)
  if (text) expect(screen.getByText((_, element) => element?.textContent === text)).toBeTruthy()
  else expect(document.body.textContent).not.toContain('approved by rule')
})
