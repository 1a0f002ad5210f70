import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Arguments } from './Arguments'
import { Blocks, ResultBlock } from './Blocks'

const details = (value: unknown) => <Blocks detailsText={typeof value === 'string' ? value : JSON.stringify(value)} />
const block = (name: string | RegExp) => within(screen.getByRole('region', { name }))

describe('details blocks', () => {
  it.each([
    ['text', { text: 'plain words' }, 'Text', 'plain words'],
    ['markdown', { markdown: 'some **bold** words' }, 'Markdown', 'bold'],
    ['terminal', { terminal: '\u001b[32mok\u001b[0m' }, 'Terminal', 'ok'],
    ['code', { code: { text: 'x := 1', lang: 'go' } }, 'Code, go', 'x := 1'],
    ['table', { table: { columns: ['Name'], rows: [['Ann']] } }, 'Table', 'Ann'],
    ['file', { file: { path: 'a/b.go', line: 7 } }, 'File', 'a/b.go:7'],
    ['json', { anything: 'else' }, 'JSON', '"else"'],
    ['diff', { diff: '--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-old\n+new\n' }, 'x.go', 'new'],
  ])('draw %s', (_, value, name, words) => {
    render(details(value))
    expect(block(name).getByText(words)).toBeTruthy()
  })

  it('draw progress as a bar that is never more than full', () => {
    render(details({ progress: { done: 14, total: 10, unit: 'files' } }))
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100')
  })

  it('have their raw JSON', () => {
    render(details('{"text":"a\\u0041"}'))
    fireEvent.click(block('Text').getByRole('button', { name: 'Raw' }))
    expect(block('Text').getByText('"a\\u0041"')).toBeTruthy()
  })

  it('show twelve lines, and all when asked', () => {
    const lines = Array.from({ length: 340 }, (_, i) => `line ${i + 1}`)
    render(details({ text: lines.join('\n') }))
    expect(screen.queryByText('line 13')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Show all 340 lines' }))
    expect(screen.getByText('line 340')).toBeTruthy()
  })

  it('keep every digit and key of JSON, and mark what a reader might overlook', () => {
    const { container } = render(
      details('{"n":1.0,"n":1e400,"id":2512292042121000001,"__proto__":{"a":1},"s":"a\\u202eb"}'),
    )
    for (const exact of ['1.0', '1e400', '2512292042121000001', '"__proto__"', '"a\\u202eb"']) {
      expect(container.textContent).toContain(exact)
    }
    expect(screen.getAllByText('duplicate key')).toHaveLength(2)
  })

  it('sort a table by the head that is pressed', () => {
    const { container } = render(details('{"table":{"columns":["n"],"rows":[[10],[9],[1.0]]}}'))
    const cells = () => [...container.querySelectorAll('td')].map((cell) => cell.textContent)
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    expect(cells()).toEqual(['1.0', '9', '10'])
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    expect(cells()).toEqual(['10', '9', '1.0'])
  })

  it.each([
    [
      'markdown',
      {
        markdown: '<img src=x onerror=alert(1)> <script>alert(1)</script> [x](javascript:alert(1)) <style>*{}</style>',
      },
    ],
    ['markdown image', { markdown: '![x](https://example.com/a.png)' }],
    ['text', { text: '<img src=x onerror=alert(1)>' }],
    ['remote image', { image: { src: 'https://example.com/a.png', mediaType: 'image/png' } }],
    ['html as an image', { image: { src: 'data:text/html,<script>alert(1)</script>' } }],
    ['table', { table: { columns: ['<script>'], rows: [['<iframe src=x>']] } }],
  ])('run nothing and load nothing: %s', (_, value) => {
    const { container } = render(details(value))
    expect(container.querySelectorAll('img, script, iframe, style, form, input')).toHaveLength(0)
    for (const link of container.querySelectorAll('a'))
      expect(link.getAttribute('href') ?? '').not.toMatch(/^javascript/i)
  })

  it('keep a fault of one block from the others', () => {
    render(details({ text: 'still here', table: { columns: [], rows: [] } }))
    expect(screen.getByText('still here')).toBeTruthy()
  })
})

describe('a result', () => {
  it.each([
    ['"two\\nlines"', 'lines'],
    ['{"a":1.50}', '1.50'],
    ['""', '(empty)'],
    ['null', 'null'],
  ])('%s', (json, words) => {
    render(<ResultBlock json={json} title="Result" />)
    expect(block('Result').getByText(words)).toBeTruthy()
  })
})

describe('arguments', () => {
  it.each([
    ['an object’s members as a list', '{"environment":"staging","replicas":3}', ['environment', 'staging', '3']],
    [
      'a string that would look like something else, with its quotes',
      '{"a":"1","b":"","c":" x"}',
      ['"1"', '""', '" x"'],
    ],
    [
      'digits and duplicate keys as written',
      '{"n":1.0,"n":2512292042121000001}',
      ['1.0', '2512292042121000001', 'duplicate key'],
    ],
    ['what hides as its code', '{"command":"ls\u200b\u202e"}', ['\\u200b', '\\u202e']],
    ['many spaces by their number', `{"command":"ls${' '.repeat(500)}; rm -rf"}`, ['⟨500 spaces⟩', '; rm -rf']],
    ['text that is no JSON as it is', '{"a":', ['{"a":', 'Not JSON']],
    ['another value as it is', '[1.0]', ['1.0']],
    ['nothing', '{}', ['No arguments']],
  ])('show %s', (_, text, want) => {
    const { container } = render(<Arguments text={text} />)
    for (const each of want) expect(container.textContent).toContain(each)
  })
})
