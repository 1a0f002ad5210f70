import { describe, expect, it } from 'vitest'
import { clean, GrowingMarkdown } from './blocks'

const text =
  '# Head\n\nSome *words* here.\n\n- one\n- two\n\n```go\nx := 1\n\ny := 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.'
const html = (markdown: GrowingMarkdown, of: string) =>
  markdown
    .blocks(of)
    .map((block) => block.html.trim())
    .join('')

describe('growing markdown', () => {
  it('is, grown by a character at a time, what it is in one piece', () => {
    const growing = new GrowingMarkdown()
    for (let to = 1; to < text.length; to++) growing.blocks(text.slice(0, to))
    expect(html(growing, text)).toBe(html(new GrowingMarkdown(), text))
  })

  it('reads only its end again', () => {
    const growing = new GrowingMarkdown()
    growing.blocks(`${'A paragraph.\n\n'.repeat(500)}The end`)
    expect(growing.openLength).toBeLessThan(100)
  })

  it('begins anew with another text', () => {
    const growing = new GrowingMarkdown()
    growing.blocks('one\n\ntwo\n\nthree\n\nfour')
    expect(html(growing, 'other')).toBe('<p>other</p>')
  })
})

describe('clean', () => {
  it.each([
    ['<img src=x onerror=alert(1)>', ''],
    ['<script>alert(1)</script>x', 'x'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="https://a.example/" onclick="x()">x</a>', '<a href="https://a.example/">x</a>'],
    ['<p style="position:fixed">x</p>', '<p>x</p>'],
    ['<form><input><button>x</button></form>', 'x'],
    ['<iframe src="https://a.example"></iframe>', ''],
    ['<svg><a href="javascript:alert(1)">x</a></svg>', ''],
  ])('%s', (dirty, want) => {
    expect(clean(dirty)).toBe(want)
  })
})
