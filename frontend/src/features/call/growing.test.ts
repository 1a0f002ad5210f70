// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { GrowingArguments, openString } from './growing'

const odd =
  '{"path":"a\\"b", "n":1.0,"id":2512292042121000001 ,"x":1e400, "n":[{"a":"}"},2],"o":{},"s":"é🙂\\n","t":true}'

const members = [
  ['"path"', '"a\\"b"'],
  ['"n"', '1.0'],
  ['"id"', '2512292042121000001'],
  ['"x"', '1e400'],
  ['"n"', '[{"a":"}"},2]'],
  ['"o"', '{}'],
  ['"s"', '"é🙂\\n"'],
  ['"t"', 'true'],
]

describe('growing arguments', () => {
  it('give the members as they were written, however the text comes', () => {
    for (const step of [1, 2, 3, 7, odd.length]) {
      const reader = new GrowingArguments()
      for (let to = step; to < odd.length; to += step) reader.read(odd.slice(0, to))
      const grown = reader.read(odd)
      expect(grown.members.map((each) => [each.keyText, each.valueText])).toEqual(members)
      expect(grown.open).toBeUndefined()
      expect(grown.other).toBe(false)
    }
  })

  it.each([
    ['{"a":1,"b":"half', '"b"', '"half'],
    ['{"a":1,"b":[1,{"c":', '"b"', '[1,{"c":'],
    ['{"a":1,"b": 12', '"b"', '12'],
  ])('name the member that is being written: %s', (text, keyText, valueText) => {
    expect(new GrowingArguments().read(text).open).toEqual({ keyText, valueText })
  })

  it.each(['{', '{"a', '{"a"', '{"a":', '{"a":1,', ''])('have none open in %j', (text) => {
    expect(new GrowingArguments().read(text).open).toBeUndefined()
  })

  it.each(['[1]', 'null', '{"a":1}{"a":2}', '{a:1}', '"x"'])('say that %s cannot be read by members', (text) => {
    expect(new GrowingArguments().read(text).other).toBe(true)
  })

  it('are read anew when the text is another', () => {
    const reader = new GrowingArguments()
    reader.read('{"a":1}')
    expect(reader.read('{"b":2}').members).toEqual([{ keyText: '"b"', valueText: '2' }])
  })

  it('cost their length: 1 MB in pieces of 16 characters', () => {
    const whole = `{"content":"${'x'.repeat(1_000_000)}"}`
    const reader = new GrowingArguments()
    const begin = performance.now()
    for (let to = 16; to <= whole.length; to += 16) reader.read(whole.slice(0, to))
    expect(reader.read(whole).members).toHaveLength(1)
    expect(performance.now() - begin).toBeLessThan(10_000)
  }, 20_000)
})

describe('an open string', () => {
  it.each([
    ['"half', 'half'],
    ['"a\\n', 'a\n'],
    ['"a\\', 'a'],
    ['"a\\u00', 'a'],
    ['"a\\\\', 'a\\'],
    ['"\\u00e9', 'é'],
    ['"', ''],
  ])('%s is read as far as it can be', (text, want) => {
    expect(openString(text)).toBe(want)
  })
})
