// @vitest-environment node
import { expect, it } from 'vitest'
import { schemaRows } from './schemaRows'

/** The rows of a schema, a line each. */
function said(schema: string): string[] {
  return schemaRows(schema).map(
    ({ depth, name, type, required, standard, limits, description }) =>
      `${'  '.repeat(depth)}${name}: ${[type, required && 'needed', limits, standard && `default ${standard}`, description].filter(Boolean).join('; ')}`,
  )
}

it('says of each argument what it is, whether it is needed, its default and its limits, digit for digit', () => {
  expect(
    said(`{"type":"object","required":["path"],"properties":{
      "path":{"type":"string","minLength":1,"description":"Which file"},
      "id":{"type":"integer","maximum":9007199254740993,"default":2512292042121000001},
      "ratio":{"type":["number","null"],"exclusiveMinimum":0,"default":1.0},
      "mode":{"enum":["a","b",1.0]},
      "tags":{"type":"array","items":{"type":"string"},"maxItems":1}}}`),
  ).toEqual([
    'path: string; needed; at least 1 character; Which file',
    'id: integer; ≤ 9007199254740993; default 2512292042121000001',
    'ratio: number or null; > 0; default 1.0',
    'mode: one of "a", "b", 1.0',
    'tags: array of string; at most 1 item',
  ])
})

it('shows what is inside of objects, lists and branches', () => {
  expect(
    said(`{"properties":{
      "at":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]},
      "rows":{"type":"array","items":{"type":"object","properties":{"y":{"type":"number"}}}},
      "to":{"anyOf":[{"type":"object","properties":{"host":{"type":"string"}}},{"type":"null"}]}}}`),
  ).toEqual([
    'at: object',
    '  x: number; needed',
    'rows: array of object',
    '  each item: object',
    '    y: number',
    'to: object or null',
    '  host: string',
  ])
})

it('I3 shows a schema that holds itself once, and says of a reference that it leads nowhere', () => {
  expect(
    said(`{"properties":{"tree":{"$ref":"#/$defs/node"},"lost":{"$ref":"#/$defs/gone"}},
      "$defs":{"node":{"type":"object","description":"A node","properties":{
        "value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`),
  ).toEqual([
    'tree: object; A node',
    '  value: integer',
    '  children: array of object',
    '    each item: object; A node',
    'lost: a reference that leads nowhere: #/$defs/gone',
  ])
})

it('has nothing to say of what is no schema of an object', () => {
  expect(said('true')).toEqual([])
  expect(said('{"type":')).toEqual([])
  expect(said('{"$ref":"#"}')).toEqual([])
  expect(said('{"properties":{"a":true}}')).toEqual(['a: anything'])
})

it('stops at a depth and a length that nobody reads', () => {
  const deep = Array.from({ length: 40 }).reduce<string>((in_) => `{"properties":{"a":${in_}}}`, '{}')
  expect(schemaRows(deep)).toHaveLength(9)
  const wide = JSON.stringify({ properties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, {}])) })
  expect(schemaRows(wide)).toHaveLength(400)
})
