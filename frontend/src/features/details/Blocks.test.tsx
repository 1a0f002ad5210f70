import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { OpenLink } from '../../markdown/OpenLink'
import { Arguments, ArgumentsBlock } from './Arguments'
import { Blocks, ResultBlock } from './Blocks'

const details = (value: unknown) => <Blocks detailsText={typeof value === 'string' ? value : JSON.stringify(value)} />
const block = (name: string | RegExp) => within(screen.getByRole('group', { name }))

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

  it.each([
    ['text', { text: '' }, 'Text'],
    ['terminal', { terminal: '' }, 'Terminal'],
    ['terminal with nothing to see', { terminal: '\u001b[0m\n' }, 'Terminal'],
    ['code', { code: { text: '' } }, 'Code'],
    ['markdown', { markdown: ' ' }, 'Markdown'],
  ])('say of %s that it is empty', (_, value, name) => {
    render(details(value))
    expect(block(name).getByText('(empty)')).toBeTruthy()
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

  it.each([
    ['text', (text: string) => ({ text })],
    ['terminal', (terminal: string) => ({ terminal: `\u001b[32m${terminal}` })],
    ['code', (text: string) => ({ code: { text, lang: 'go' } })],
    ['markdown', (markdown: string) => ({ markdown })],
  ])('show of one long line of %s as much as twelve lines are, and all when asked', (_, value) => {
    const words = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ')
    const { container } = render(details(value(words)))
    expect(container.textContent).toContain('word100')
    expect(container.textContent).not.toContain('word399')
    fireEvent.click(screen.getByRole('button', { name: 'Show all 3.1 KB' }))
    expect(container.textContent).toContain('word399')
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
    const cells = () => [...container.querySelectorAll('[role=cell]')].map((cell) => cell.textContent)
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    expect(cells()).toEqual(['1.0', '9', '10'])
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    expect(cells()).toEqual(['10', '9', '1.0'])
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    expect(cells()).toEqual(['10', '9', '1.0'])
    expect(screen.getByRole('columnheader').getAttribute('aria-sort')).toBe('none')
  })

  it.each([
    ['markdown', { markdown: Array.from({ length: 340 }, (_, i) => `line ${i + 1}  `).join('\n') }, 'line'],
    [
      'code',
      { code: { text: Array.from({ length: 340 }, (_, i) => `line ${i + 1}`).join('\n'), lang: 'txt' } },
      'line',
    ],
    ['a table', { table: { columns: ['c'], rows: Array.from({ length: 90 }, (_, i) => [`line ${i + 1}`]) } }, 'row'],
    ['JSON', Array.from({ length: 90 }, (_, i) => `line ${i + 1}`), 'line'],
  ])('show twelve lines of %s, and all when asked', (_, value, unit) => {
    const { container } = render(details(value))
    expect(container.textContent).not.toContain('line 13')
    fireEvent.click(screen.getByRole('button', { name: new RegExp(`^Show all \\d+ ${unit}s$`) }))
    expect(container.textContent).toContain('line 90')
  })

  it('F4 of 200 KB in one line show its beginning and its size, and can be saved whole', async () => {
    const text = 'é'.repeat(100_000)
    const saved: Blob[] = []
    vi.stubGlobal('URL', {
      ...URL,
      createObjectURL: (blob: Blob) => saved.push(blob) && 'blob:x',
      revokeObjectURL: () => undefined,
    })
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    const { container } = render(details({ text }))
    expect(container.textContent?.length).toBeLessThan(10_000)
    expect(block('Text').getByText('200.0 KB')).toBeTruthy()
    fireEvent.click(block('Text').getByRole('button', { name: 'Save' }))
    await vi.waitFor(() => expect(saved[0]?.size).toBe(200_000))
    fireEvent.click(screen.getByRole('button', { name: /^Show all/ }))
    expect(container.textContent).toContain(text)
    vi.unstubAllGlobals()
  })

  it('give code the file beside it as its heading', () => {
    render(
      details([
        { file: { path: 'a/main.go', line: 3 } },
        { code: { text: 'package main', lang: '' } },
        { file: { path: 'b.go' } },
      ]),
    )
    expect(block('a/main.go:3').getByText(/main$/)).toBeTruthy()
    expect(block('File').getByText('b.go')).toBeTruthy()
    expect(screen.getAllByRole('group')).toHaveLength(2)
  })

  it('colour code once its language is there', async () => {
    const { container } = render(details({ code: { text: 'func main() {}', lang: 'go' } }))
    await vi.waitFor(() => expect(container.querySelector('.tok-keyword')?.textContent).toBe('func'))
    expect(container.querySelector('code')?.textContent).toBe('func main() {}')
  })

  it('show an image that fits, and in full size after a press', () => {
    render(details({ image: { src: 'data:image/png;base64,AAAA', mediaType: 'image/png', alt: 'A chart' } }))
    const image = screen.getByRole('img', { name: 'A chart' })
    expect(block('Image').getByText('3 B')).toBeTruthy()
    const press = screen.getByRole('button', { pressed: false, name: 'A chart' })
    fireEvent.click(press)
    expect(press.getAttribute('aria-pressed')).toBe('true')
    expect(image.className).toContain('max-w-none')
  })

  it('offer a remote image to be opened outside', () => {
    const asked: string[] = []
    render(
      <OpenLink value={(address) => asked.push(address)}>
        {details({ image: { src: 'https://a.example/x.png', mediaType: 'image/png', alt: '' } })}
      </OpenLink>,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Open outside…' }))
    expect(asked).toEqual(['https://a.example/x.png'])
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

  it('say in a word what a reader might overlook, however deep it stands', () => {
    const { container } = render(<Arguments text={'{"a":{"b":{"c":{"d":{"e":1e400}}}}}'} />)
    expect(container.textContent).toContain('1 big number')
  })

  it('stand beside their raw text when asked', () => {
    render(<ArgumentsBlock text={'{ "n" : 1.0 }'} />)
    fireEvent.click(screen.getByRole('button', { name: 'Raw' }))
    expect(screen.getByRole('group', { name: 'Raw' }).textContent).toContain('{ "n" : 1.0 }')
    expect(screen.getByRole('definition').textContent).toBe('1.0')
  })
})
