import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ExactArguments } from './ExactArguments'

const shown = (text: string) => render(<ExactArguments text={text} />).container.textContent ?? ''

describe('the arguments of a call that waits', () => {
  it.each([
    ['a number no browser holds', '{"id":2512292042121000001}', '2512292042121000001'],
    ['a number that is written as no browser writes it', '{"n":1.0,"m":1e400}', '1.0m1e400'],
    ['what hides and reorders', '{"c":"a\\u202eb\\u200bc\\u001b[31m"}', 'a\\u202eb\\u200bc\\u001b[31m'],
    [
      'a gap that would push the rest out of sight',
      `{"c":"ls${' '.repeat(500)}; rm -rf x"}`,
      'ls⟨500 spaces⟩; rm -rf x',
    ],
    ['a key that is there twice', '{"a":1,"a":2}', 'duplicate key'],
    ['keys that differ only in case', '{"path":"x","PATH":"y"}', 'differs only in case'],
    ['a key that hides', '{"a\\u200b":1}', 'a\\u200b'],
    ['a text that would look like a number', '{"n":"5"}', '"5"'],
    ['what is no JSON', '{"a":', '{"a":'],
    ['a list in place of an object', '[1.0,"x"]', '1.0'],
  ])('show %s', (_, text, expected) => {
    expect(shown(text)).toContain(expected)
  })

  it('leave nothing out, however long and deep they are', () => {
    const long = 'x'.repeat(3000)
    const deep = { a: { b: { c: { d: [{ e: long }] } } } }
    expect(shown(JSON.stringify(deep))).toContain(long)
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`)
    const text = shown(JSON.stringify({ script: lines.join('\n') }))
    for (const line of lines) expect(text).toContain(line)
    const many = Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`k${at}`, `value ${at}`]))
    const all = shown(JSON.stringify({ many }))
    for (const value of Object.values(many)) expect(all).toContain(value)
  })
})
