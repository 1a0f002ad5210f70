import { expect, it } from 'vitest'
import { formatRoute, parseRoute, type Route } from './route'

const routes: [string, Route][] = [
  ['#/new', { kind: 'new' }],
  ['#/tools', { kind: 'tools' }],
  ['#/tools/mcp%2Fone/a%20tool', { kind: 'tools', tool: { source: 'mcp/one', name: 'a tool' } }],
  ['#/search', { kind: 'search', asked: '' }],
  ['#/search?q=a+b%26&tool=shell', { kind: 'search', asked: 'q=a+b%26&tool=shell' }],
  ['#/t/a%2Fb', { kind: 'thread', threadId: 'a/b' }],
  ['#/t/t1/r/r%201/e/8412', { kind: 'thread', threadId: 't1', moment: { runId: 'r 1', seq: 8412 } }],
]

it.each(routes)('the address %s is read and written', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route)
  expect(formatRoute(route)).toBe(hash)
})

it.each([
  ['', { kind: 'new' }],
  ['#/searching', { kind: 'new' }],
  ['#/t/%E0%A4%A', { kind: 'new' }],
  ['#/tools/one', { kind: 'tools' }],
  ['#/tools/one/%E0%A4%A', { kind: 'tools' }],
  ['#/toolset', { kind: 'new' }],
  ['#/t/t1/r/r1', { kind: 'thread', threadId: 't1' }],
  ['#/t/t1/r/r1/e/x', { kind: 'thread', threadId: 't1' }],
  ['#/t/t1/r/r1/e/5/more', { kind: 'thread', threadId: 't1' }],
])('what of the address %s is no moment is not taken for one', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route)
})
