// @vitest-environment node
import { expect, it } from 'vitest'
import { errorSchema, schemaFaults } from './faults'
import { serverFaults } from './serverFaults'

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1 }, at: { type: 'object', properties: { x: { type: 'number' } } } },
  required: ['n', 'who'],
}

it('finds each fault once, at its own path', () => {
  const faults = schemaFaults('{"n":0,"at":{"x":"y"}}', parameters)
  expect(faults.map((fault) => fault.path.join('/')).sort()).toEqual(['at/x', 'n', 'who'])
})

it('takes digits no browser can hold for the number they are', () => {
  expect(schemaFaults('{"n":2512292042121000001,"who":1,"at":{"x":1e400}}', parameters)).toEqual([])
})

it('finds no fault in what it cannot check', () => {
  expect(schemaFaults('{"n":1e', parameters)).toEqual([])
  expect(schemaFaults('{}', { type: 'object', properties: { a: { $ref: '#/gone' } } })).toEqual([])
  expect(schemaFaults('{}', undefined)).toEqual([])
})

it('holds a value to the branch that is chosen, and a value in it to the one chosen there', () => {
  const person = { type: 'object', properties: { name: { type: 'string' } } }
  const inner = { type: 'object', required: ['street'] }
  const company = {
    type: 'object',
    properties: { at: { anyOf: [{ type: 'object' }, inner] }, vat: { type: 'string' } },
    required: ['vat'],
  }
  const schema = { type: 'object', properties: { list: { type: 'array', items: { anyOf: [person, company] } } } }
  const text = '{"list":[{"name":"a"},{"name":"b","at":{}}]}'
  const chosen = [
    { path: ['list', '1', 'at'], branch: inner },
    { path: ['list', '1'], branch: company },
    { path: ['list', '7'], branch: company },
  ]
  const said = (faults: ReturnType<typeof schemaFaults>) => faults.map(({ path }) => path.join('/')).sort()
  expect(said(schemaFaults(text, schema))).toEqual([])
  expect(said(schemaFaults(text, schema, chosen))).toEqual(['list/1/at/street', 'list/1/vat'])
  expect(said(schemaFaults('{"list":[1,{"vat":"v"}]}', schema, chosen))).toEqual(['list/0', 'list/0', 'list/0'])
})

it.each([
  ['anyOf', '{"c":1}', 'Fits none of its choices.'],
  ['oneOf', '{"c":1}', 'Fits none of its choices.'],
  ['oneOf', '{"a":1,"b":1}', 'Fits more than one of its choices.'],
])('says of %s how %s fits it', (word, text, want) => {
  const schema = { type: 'object', [word]: [{ required: ['a'] }, { required: ['b'] }] }
  expect(schemaFaults(text, schema)).toContainEqual({ path: [], message: want })
})

it.each([
  [{ type: 'integer' }, '1.5', 'Not a whole number.'],
  [{ type: ['integer', 'null'] }, '"a"', 'Not a whole number or null.'],
  [{ format: 'date' }, '"soon"', 'Not a date, such as 2026-01-31.'],
  [{ format: 'ipv4' }, '"soon"', 'Not in the format ipv4.'],
  [{ pattern: '^[a-z]+$' }, '"1"', 'Not like ^[a-z]+$'],
  [{ $ref: '#/$defs/code' }, '"1"', 'Not like ^[A-Z]+$'],
  [{ minLength: 2 }, '"1"', 'At least 2 characters.'],
  [{ maxLength: 1 }, '"12"', 'At most 1 character.'],
  [{ type: 'array', minItems: 1 }, '[]', 'At least 1 item.'],
  [{ enum: ['a', 'b'] }, '"c"', 'The value does not match any of ["a","b"].'],
])('says what %j has against %s in words', (schema, value, want) => {
  const parameters = { type: 'object', properties: { n: schema }, $defs: { code: { pattern: '^[A-Z]+$' } } }
  expect(schemaFaults(`{"n":${value}}`, parameters)).toEqual([{ path: ['n'], message: want }])
})

it('reads the paths in what a server says', () => {
  expect(
    serverFaults(
      "Invalid arguments: at '/n': got string, want integer; at '': missing properties 'a', 'b'; at '/a~1b/0': no",
    ),
  ).toEqual([
    { path: ['n'], message: 'got string, want integer' },
    { path: ['a'], message: 'Needed, and missing.' },
    { path: ['b'], message: 'Needed, and missing.' },
    { path: ['a/b', '0'], message: 'no' },
  ])
  expect(serverFaults('the folder is gone')).toBeUndefined()
})

it('puts faults where the form looks for them', () => {
  expect(errorSchema([{ path: ['at', 'x'], message: 'no' }])).toEqual({
    __errors: [],
    at: { __errors: [], x: { __errors: ['no'] } },
  })
})
