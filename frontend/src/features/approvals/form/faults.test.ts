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
