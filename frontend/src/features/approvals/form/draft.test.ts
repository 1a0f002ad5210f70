// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../protocol/json'
import { begun, type Drafted, draftFault, draftOf, toText } from './draft'
import { draftSchema } from './draftSchema'

const parameters = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    on: { type: 'boolean' },
    color: { enum: ['red', 'green'] },
    tags: { type: 'array', items: { type: 'string' } },
    at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    tree: { $ref: '#/$defs/node' },
    lost: { $ref: '#/$defs/gone' },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['name'],
  $defs: {
    node: {
      type: 'object',
      properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    },
  },
}

function drafted(text: string): Drafted {
  const found = draftOf(text, draftSchema(parameters))
  if ('message' in found) throw new Error(found.message)
  return found
}

function written(text: string, change: (draft: Drafted['draft']) => void = () => undefined): string {
  const { draft } = drafted(text)
  change(draft)
  const before = parseJson(text)
  return toText(draft, 'message' in before ? undefined : before)
}

describe('arguments through a form', () => {
  it.each([
    '{"count":2512292042121000001,"ratio":1.0}',
    '{"ratio":1e400,"name":"caf\\u00e9 \\/ \\ud83d"}',
    '{"tags":["a\\tb","\\u202e"],"at":{"x":-0.0},"tree":{"value":1,"children":[{"value":9007199254740993}]}}',
    '{"either":7,"on":true,"color":"red","ratio":null}',
    '{"10":1,"9":{"z":1,"a":[1.0]},"name":"x"}',
    '{"name":5,"count":"five","tags":["a",1],"at":{"y":1},"color":"blue","lost":{"a":1.50}}',
    '{"name":"a\\r\\nb"}',
  ])('come back byte for byte when nothing was changed: %s', (text) => {
    expect(written(text)).toBe(text)
  })

  it('change only where they were edited', () => {
    const text = '{"ratio":1.0, "count":2512292042121000001, "name":"\\u00e9"}'
    expect(written(text, (draft) => (draft.count = 'n6'))).toBe('{"ratio":1.0,"count":6,"name":"\\u00e9"}')
    expect(written(text, (draft) => (draft.name = 'sè"'))).toBe(
      '{"ratio":1.0,"count":2512292042121000001,"name":"è\\""}',
    )
  })

  it('keep a number that is half typed as it was typed, and say so', () => {
    expect(written('{"count":1}', (draft) => (draft.count = 'n1e'))).toBe('{"count":1e}')
    expect(draftFault('n1e')).toBe('Not a number.')
    expect(draftFault('n1e400')).toBeUndefined()
    expect(draftFault('j{"a":')).toMatch(/^Not JSON/)
  })

  it('lose a member that was left out, and gain one that was given', () => {
    const text = '{"count":1,"name":"x"}'
    expect(written(text, (draft) => (draft.count = undefined))).toBe('{"name":"x"}')
    expect(written(text, (draft) => (draft.on = 'jfalse'))).toBe('{"count":1,"name":"x","on":false}')
  })

  it('are edited as JSON text where their schema does not describe them', () => {
    const { schema, draft } = drafted('{"name":5,"extra":{"a":1.0},"lost":[1]}')
    expect(draft).toEqual({ name: 'j5', extra: 'j{"a":1.0}', lost: 'j[1]' })
    expect(schema.properties).toMatchObject({ name: { pattern: '^j' }, extra: { pattern: '^j' } })
  })

  it.each([
    ['{"a":1,"a":2}', 'stands there twice'],
    ['[1]', 'needs an object'],
    ['{"__proto__":{"admin":true}}', '__proto__'],
    ['{"a":', 'Not JSON'],
  ])('that no form can hold say why: %s', (text, why) => {
    expect(draftOf(text, draftSchema(parameters))).toHaveProperty('message', expect.stringContaining(why))
  })

  it('begin anew where something was added to a list', () => {
    const { schema } = drafted('{}')
    const added = { tags: ['sa', undefined], tree: { children: [undefined] }, on: undefined }
    expect(begun(added, schema, schema)).toEqual({ tags: ['sa', 's'], tree: { children: [{}] } })
  })
})

it('branches without titles are called by what they need or hold', () => {
  const by = (name: string, more: object = {}) => ({ type: 'object', properties: { [name]: {}, also: {} }, ...more })
  const anyOf = [by('name', { required: ['name'] }), by('id'), { type: 'string' }, { const: 1 }, { title: 'none' }]
  const { who } = draftSchema({ type: 'object', properties: { who: { anyOf } } }).properties ?? {}
  expect(who).toMatchObject({ anyOf: ['name', 'id, also', 'string', '1', 'none'].map((title) => ({ title })) })
})

it('a value with a member without a name is a field of JSON text', () => {
  const at = { type: 'object', properties: { '': { type: 'string' }, x: { type: 'number' } } }
  expect(draftSchema({ type: 'object', properties: { at } }).properties?.at).toEqual({ type: 'string', pattern: '^j' })
})

it('a schema that only refers to itself has fields of JSON text', () => {
  const round = draftSchema({
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/a' } },
  })
  expect(draftOf('{"a":1}', round)).toMatchObject({ draft: { a: 'j1' } })
})

it('has what a schema names as the schema is written, every digit of it', () => {
  const text = `{"type":"object","properties":{
    "id":{"type":"integer","default":9007199254740993},
    "ratio":{"anyOf":[{"type":"number"},{"type":"null"}],"default":1.50},
    "one":{"enum":[9007199254740993,1.0,"a\\u00e9",null]},
    "default":{"type":"array","items":{"type":"number","default":-0.0}}}}`
  const { id, ratio, one, default: list } = draftSchema(JSON.parse(text), text).properties ?? {}
  expect(id).toMatchObject({ examples: ['9007199254740993'] })
  expect(ratio).toMatchObject({ examples: ['1.50'] })
  expect(one).toEqual({ type: 'string', enum: ['n9007199254740993', 'n1.0', 'saé', 'jnull'] })
  expect(list).toMatchObject({ items: { examples: ['-0.0'] } })
})
