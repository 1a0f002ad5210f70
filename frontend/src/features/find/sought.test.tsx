import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { call, event, message, result, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { FeedRow } from '../thread/FeedRow'
import { search } from './matches'
import { pattern } from './texts'

const lines = (n: number, of: (i: number) => string) => Array.from({ length: n }, (_, i) => of(i)).join('\n')

const diff = [
  '--- a/a.go',
  '+++ b/a.go',
  '@@ -1,32 +1,32 @@',
  '-old',
  '+new',
  lines(30, (i) => ` kept ${i}`),
  '-last',
  '+end',
].join('\n')

const tree = { list: Array.from({ length: 20 }, (_, i) => ({ at: i, inner: { leaf: `leaf ${i}` } })) }

/** The row of a call that is done with some arguments and a result, as the search leaves it. */
async function found(query: string, args: object, fields: object) {
  const log = [start(), message('Go.'), turn(1), ...call('c1', 'tool', JSON.stringify(args)), state('c1', 'running')]
  const { app, store } = await openThread([...log, result('c1', fields)])
  const row = store.rows.get().find((each) => each.kind === 'call')
  if (!row) throw new Error('the call has no row')
  store.folding.set(row.key, true)
  renderIn(app, store, <FeedRow row={row} index={2} total={3} active cards={new Map()} />)
  const article = screen.getByRole('article')
  const words = () => article.textContent ?? ''
  const before = words()
  expect(search(store.runs, query).matches.map((match) => match.inside)).toEqual([true])
  act(() => app.found.set({ key: row.key, wanted: pattern(query) }))
  return { before, words, app, row }
}

it.each<[string, string, object, object]>([
  ['arguments that are folded', 'sought', { a: 'so sought' }, { details: { text: 'shown' } }],
  ['a result that is folded', 'sought', {}, { details: { text: 'shown' }, result: 'so sought' }],
  ['lines behind "Show all"', 'line 40', {}, { details: { text: lines(60, (i) => `line ${i}`) } }],
  [
    'lines behind "Show all" of folded arguments',
    'row 40',
    { a: lines(60, (i) => `row ${i}`) },
    { details: { text: 'x' } },
  ],
  ['code behind "Show all"', 'code_40', {}, { details: { code: { text: lines(60, (i) => `code_${i}`), lang: 'go' } } }],
  ['terminal text behind "Show all"', 'out 40', {}, { details: { terminal: lines(60, (i) => `out ${i}`) } }],
  ['markdown behind "Show all"', 'item 40', {}, { details: { markdown: lines(60, (i) => `- item ${i}`) } }],
  [
    'rows behind "Show all"',
    'cell 40',
    {},
    { details: { table: { columns: ['a'], rows: Array.from({ length: 60 }, (_, i) => [`cell ${i}`]) } } },
  ],
  ['a closed branch of a tree', 'leaf 17', {}, { details: tree }],
  ['a text of a tree that is cut', 'far off', {}, { details: { a: { b: `${'x'.repeat(400)} far off` } } }],
  ['unchanged lines of a diff', 'kept 15', {}, { details: { diff } }],
])('what is found in %s is shown', async (_, query, args, fields) => {
  const { before, words } = await found(query, args, fields)
  expect(before).not.toContain(query)
  expect(words()).toContain(query)
})

it('what is shown already opens nothing beside it', async () => {
  const { words, before } = await found('shown', { a: 'shown' }, { details: { text: 'shown' } })
  expect(words()).toBe(before)
})

it('a branch its reader closed opens again at the next step of the search, not before', async () => {
  const { words, app, row } = await found('leaf 17', {}, { details: tree })
  const branch = screen.getAllByRole('button', { name: '"list" 20 items' })[0]
  act(() => branch?.click())
  expect(words()).not.toContain('leaf 17')
  act(() => app.found.set({ key: row.key, wanted: pattern('leaf 17') }))
  expect(words()).toContain('leaf 17')
})

it('progress that a result came in place of is not found', async () => {
  const log = [start(), message('Go.'), turn(1), ...call('c1', 'tool', '{}'), state('c1', 'running')]
  const progress = event('tool-update', { toolCallId: 'c1', content: 'step two' })
  const during = await openThread([...log, progress])
  expect(search(during.store.runs, 'step two').matches).toHaveLength(1)
  const after = await openThread([...log, progress, result('c1')])
  expect(search(after.store.runs, 'step two').matches).toHaveLength(0)
})
