import { expect, it } from 'vitest'
import { readable } from './readme'

it.each([
  ['joins the lines of a paragraph', 'one\ntwo\n\nthree\nfour', 'one two\n\nthree four'],
  [
    'leaves indented code as it is',
    'run:\n\n    make\n    make test\n\ndone',
    'run:\n\n    make\n    make test\n\ndone',
  ],
  ['leaves fenced code as it is', '```go\na\nb\n\nc\nd\n```\ntext\nmore', '```go\na\nb\n\nc\nd\n```\ntext more'],
  ['leaves headings and lists as they are', '# One\ntext\n- a\n- b', '# One\ntext\n- a\n- b'],
  ['takes pictures out', '# One\n\n![The window](a.png)\n\ntext', '# One\n\ntext'],
])('%s', (_, markdown, want) => {
  expect(readable(markdown)).toBe(want)
})
