// @vitest-environment node
import { describe, expect, it } from 'vitest'
import {
  isExact,
  isJsonError,
  items,
  type JsonNode,
  members,
  parseJson,
  pretty,
  rawMember,
  rawMembers,
  stringValue,
} from './json'

function parsed(text: string): JsonNode {
  const node = parseJson(text)
  if (isJsonError(node)) throw new Error(node.message)
  return node
}

describe('a tree keeps every token as it was written', () => {
  it('numbers', () => {
    const texts = ['1.0', '1e400', '2512292042121000001', '-0', '0.10', '1E+2']
    expect(items(parsed(`[${texts.join(' , ')}]`)).map((n) => n.text)).toEqual(texts)
  })

  it('keys in their order, repeated ones too, and names of prototypes as data', () => {
    const found = members(parsed('{"10":0,"9":0,"a":1,"\\u0061":2,"__proto__":{"admin":true},"constructor":null}'))
    expect(found.map((m) => [m.key, m.keyText, m.value.text, m.duplicate])).toEqual([
      ['10', '"10"', '0', false],
      ['9', '"9"', '0', false],
      ['a', '"a"', '1', true],
      ['a', '"\\u0061"', '2', true],
      ['__proto__', '"__proto__"', '{"admin":true}', false],
      ['constructor', '"constructor"', 'null', false],
    ])
    expect('admin' in {}).toBe(false)
  })

  it('keys that differ only in case are flagged, by letters that fold into ASCII too', () => {
    const flags = (text: string) => members(parsed(text)).map((m) => m.caseVariant)
    expect(flags('{"path":"safe","PATH":"/etc","other":1}')).toEqual([true, true, false])
    expect(flags('{"id":1,"\u0131d":2,"kind":1,"\u212aind":2,"s":1,"\u017f":2}')).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ])
    expect(flags('{"a":1,"a":2}')).toEqual([false, false])
  })

  it('strings with escapes, lone surrogates and NUL', () => {
    const [member] = members(parsed('{"a\\"b":"\\ud83d \\u0000 \\\\"}'))
    expect(member?.key).toBe('a"b')
    expect(member?.value.text).toBe('"\\ud83d \\u0000 \\\\"')
    expect(stringValue(member?.value.text ?? '')).toBe('\ud83d \0 \\')
  })

  it('kinds', () => {
    const kinds = items(parsed(' [ {} , [] , "" , 0 , -1 , true , false , null ] ')).map((n) => n.kind)
    expect(kinds).toEqual(['object', 'array', 'string', 'number', 'number', 'boolean', 'boolean', 'null'])
  })
})

describe('what is not JSON is said to be none (B3, B15, E7)', () => {
  it.each(['', ' ', '{', '{"a":', '{"a":1}{"a":2}', '{}{"stock":"MSFT"}', "{'a':1}", '[1,]', 'nul', '\u00a01'])(
    '%j',
    (text) => {
      expect(isJsonError(parseJson(text))).toBe(true)
      expect(pretty(text)).toBe(text)
    },
  )
})

it('nesting of 10,001 levels is read level by level and laid out (K)', () => {
  const text = `${'['.repeat(10_001)}${']'.repeat(10_001)}`
  let node = parsed(text)
  for (let i = 0; i < 5; i++) node = items(node)[0] ?? node
  expect(node.text.length).toBe(text.length - 10)
  expect(pretty(text).replace(/\s/g, '')).toBe(text)
  const objects = `${'{"a":'.repeat(10_001)}1${'}'.repeat(10_001)}`
  expect(members(parsed(objects))[0]?.value.kind).toBe('object')
})

describe('a number is exact when JavaScript keeps its value', () => {
  it.each([
    '0',
    '-0',
    '1.0',
    '0.10',
    '1e2',
    '1E+21',
    '1e-7',
    '9007199254740991',
    '-12.5',
    '100000000000000000000',
    '0e99',
    '0.0',
  ])('%s is', (text) => {
    expect(isExact(text)).toBe(true)
  })
  it.each([
    '2512292042121000001',
    '9007199254740993',
    '1e400',
    '-1e400',
    '0.1000000000000000000001',
    '1e-400',
    '1.00000000000000000001',
    `1${'0'.repeat(30)}1`,
  ])('%s is not', (text) => {
    expect(isExact(text)).toBe(false)
  })
})

describe('pretty lays JSON out and changes no token', () => {
  it.each([
    [
      '{"a":1.0,"b":[1e400,{"c":[]},"x:{,"],"a":{}}',
      '{\n  "a": 1.0,\n  "b": [\n    1e400,\n    {\n      "c": []\n    },\n    "x:{,"\n  ],\n  "a": {}\n}',
    ],
    [' { } ', '{}'],
    ['[ [ ] ,\n2512292042121000001 ]', '[\n  [],\n  2512292042121000001\n]'],
    ['"a\\u0000b"', '"a\\u0000b"'],
  ])('%s', (text, want) => {
    expect(pretty(text)).toBe(want)
  })
})

describe('a raw member is its very text', () => {
  const text =
    '{"seq":1, "result" : {"a":[1,{"result":0}]} ,"s":"}\\\\\\"{","result":[2512292042121000001 , 1.0],"\\u0065nd":true}'
  it.each([
    ['result', '[2512292042121000001 , 1.0]'],
    ['s', '"}\\\\\\"{"'],
    ['end', 'true'],
    ['__proto__', undefined],
    ['a', undefined],
  ])('%s', (key, want) => {
    expect(rawMember(text, key)).toBe(want)
    expect(rawMembers(text, [key])[key]).toBe(want)
  })

  it('a member named __proto__ is found', () => {
    expect(rawMember('{"__proto__":{"admin":true}}', '__proto__')).toBe('{"admin":true}')
  })

  it('a text that is no object has none, and none of them hangs', () => {
    for (const broken of [
      '',
      '[',
      '{',
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":[',
      '{"a":"',
      '{"b":1 "a":2}',
      '"a"',
      '{"a"}',
      '{,,,}',
      '{"a":}}',
    ]) {
      expect(() => rawMember(broken, 'z')).not.toThrow()
      expect(rawMember(broken, 'z')).toBeUndefined()
    }
  })
})

it('a 5 MB member is found in the time of its length', () => {
  const value = `[${'{"path":"a\\\\b","n":12345},'.repeat(200_000)}0]`
  const started = performance.now()
  expect(rawMember(`{"type":"tool-result","result":${value}}`, 'result')?.length).toBe(value.length)
  expect(performance.now() - started).toBeLessThan(10_000) // its square would take hours
}, 30_000)
