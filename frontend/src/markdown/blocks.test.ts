import { describe, expect, it, vi } from 'vitest'
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
    growing.blocks(`${'A paragraph.\n\n'.repeat(100)}The end`)
    expect(growing.openLength).toBeLessThan(100)
  })

  it('begins anew with another text', () => {
    const growing = new GrowingMarkdown()
    growing.blocks('one\n\ntwo\n\nthree\n\nfour')
    expect(html(growing, 'other')).toBe('<p>other</p>')
  })
})

describe('what a model writes', () => {
  const remote = (address: string) => `(<a href="${address}">remote image, not loaded</a>)`
  it.each([
    ['HTML', 'a <b onclick="x()">c</b>', '<p>a &lt;b onclick="x()"&gt;c&lt;/b&gt;</p>'],
    [
      'a block of HTML',
      '<img src=x onerror=y>\n<i>z</i>',
      '<p>&lt;img src=x onerror=y&gt;<br>&lt;i&gt;z&lt;/i&gt;</p>',
    ],
    ['text in a raw block', 'a <pre>b < c &amp; d</pre>', '<p>a &lt;pre&gt;b &lt; c &amp;amp; d&lt;/pre&gt;</p>'],
    ['a comment', 'a <!-- b -->', '<p>a &lt;!-- b --&gt;</p>'],
    ['a line break and small tags', 'a<br>b<sup>2</sup><br/>c', '<p>a<br>b<sup>2</sup><br>c</p>'],
    [
      'a link',
      '[a *b*](https://a.example/?x=1&y=2)',
      '<p><a href="https://a.example/?x=1&amp;y=2">a <em>b</em></a></p>',
    ],
    ['a link that runs', '[a *b*](javascript:alert(1))', '<p>a <em>b</em></p>'],
    ['a link that runs, as itself', '<javascript:alert(1)>', '<p>javascript:alert(1)</p>'],
    ['a link to a place of no host', '[a](./b.go)', '<p>a</p>'],
    ['a remote image', '![a <b>](https://a.example/b.png)', `<p>a &lt;b&gt; ${remote('https://a.example/b.png')}</p>`],
    ['an image that is no address', '![a](data:image/png;base64,AA==)', '<p>a (image, not shown)</p>'],
    [
      'an image in a link',
      '[![a](https://a.example/b.png)](https://b.example/)',
      '<p><a href="https://b.example/">a (remote image, not loaded)</a></p>',
    ],
  ])('%s', (_, text, want) => {
    expect(html(new GrowingMarkdown(), text)).toBe(want)
  })
})

describe('code in markdown', () => {
  it('has its colours once its language is there, and its text as it is', async () => {
    const markdown = new GrowingMarkdown()
    const of = '1. a\n\n   ```go\n   func f() { return "<b>" }\n   ```\n\nThe\n\nend\n\nof it'
    await vi.waitFor(() => expect(html(markdown, of)).toContain('<span class="tok-keyword">func</span>'))
    const page = document.createElement('div')
    page.innerHTML = html(markdown, of)
    expect(page.querySelector('code')?.textContent).toBe('func f() { return "<b>" }\n')
  })

  it.each(['```\n<img src=x onerror=alert(1)>\n```', '```constructor\n<script>\n```', '    <b>indented</b>'])(
    '%j is text',
    (of) => {
      const page = document.createElement('div')
      page.innerHTML = html(new GrowingMarkdown(), of)
      expect(page.querySelectorAll('pre code *, img, script')).toHaveLength(0)
    },
  )
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
    ['<p class="fixed inset-0">x</p>', '<p>x</p>'],
    ['<span class="tok-keyword">x</span>', '<span class="tok-keyword">x</span>'],
    ['<svg><a href="javascript:alert(1)">x</a></svg>', ''],
  ])('%s', (dirty, want) => {
    expect(clean(dirty)).toBe(want)
  })
})
