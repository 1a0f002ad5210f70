// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { fold } from '../../protocol/testdata'
import { call, event, start, state } from '../../test/logs'
import { lastProgressLine, showsContent } from './progress'

/** The call after updates with these fields. */
function updated(...updates: object[]) {
  const lines = [start(), ...call('c1', 'crawl', '{}'), state('c1', 'running')]
  for (const fields of updates) lines.push(event('tool-update', { toolCallId: 'c1', ...fields }))
  const found = fold(lines.map((raw, index) => ({ seq: index + 1, raw }))).calls.get('c1')
  if (!found) throw new Error('no call')
  return found
}

describe('the last progress', () => {
  it.each([
    ['text', [{ content: 'first\nsecond\n' }], 'second'],
    ['a terminal’s last line without its colours', [{ details: { terminal: 'a\n\u001b[32mok\u001b[0m\n' } }], 'ok'],
    ['of a known whole', [{ details: { progress: { done: 3, total: 40, unit: 'pages' } } }], '3 of 40 pages'],
    [
      'of an unknown one, going back',
      [4, 9, 7].map((done) => ({ details: { progress: { done, unit: 'files' } } })),
      '7 files',
    ],
    ['none', [], ''],
    ['nothing that is a line', [{ content: { a: 1 } }], ''],
  ])('is %s', (_, updates, want) => {
    expect(lastProgressLine(updated(...updates)).trim()).toBe(want)
  })
})

describe('content', () => {
  it.each([
    ['that its details have', 'all\nok', { terminal: '\u001b[1mall\u001b[0m\nok\n' }, true],
    ['that is another text', 'almost', { terminal: 'all ok' }, false],
    ['beside a table', 'all ok', { table: { columns: ['a'], rows: [['all ok']] } }, false],
    ['that is no text', { a: 1 }, { text: '{"a":1}' }, false],
    ['without details', 'all ok', undefined, false],
  ])('%s: drawn once, %#', (_, content, details, want) => {
    const { update } = updated({ content, details })
    expect(update && showsContent(update)).toBe(want)
  })
})
