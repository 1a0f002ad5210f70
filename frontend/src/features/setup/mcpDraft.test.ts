import { describe, expect, it } from 'vitest'
import { type McpServer, mcpServer } from '../../transport/mcp'
import { type Draft, draftOf, inputOf, type Secret, secretOf, switched } from './mcpDraft'

const server = (of: object = {}): McpServer => mcpServer({ name: 'words', enabled: true, command: 'npx', ...of })
const secret = (name: string, value: string, kept = false): Secret => ({ ...secretOf(name, kept), value })

/** What is saved of a draft, or what is wrong with it. */
function saved(change: Partial<Draft>, before?: McpServer): object | string {
  const read = inputOf({ ...draftOf(before), ...change }, before)
  return 'fault' in read ? read.fault : read.input
}

describe('what is saved of a server', () => {
  it.each<[string, Partial<Draft>, object, object]>([
    [
      'a program has no address and no headers',
      { command: ' npx ', args: '-y\n\n server \n', url: 'https://x', headers: [secret('A', 'b')] },
      {},
      { command: 'npx', args: ['-y', ' server '], env: {}, url: '', headers: {}, enabled: true, asks: '' },
    ],
    [
      'an address has no command, no arguments and no variables',
      { transport: 'http', command: 'npx', args: 'x', url: ' https://x/mcp ', env: [secret('A', 'b')] },
      {},
      { command: '', args: [], env: {}, url: 'https://x/mcp', headers: {} },
    ],
    [
      'a value that was kept and not written again stays, one that was replaced does not, and one removed is forgotten',
      { env: [secret('A', '', true), secret('B', 'new', true), secret('D', '')] },
      { env: ['A', 'B', 'C'], secretsKept: 'file' },
      { env: { A: null, B: 'new', D: '' }, keepSecrets: 'file' },
    ],
    ['a row with nothing in it is left out', { env: [secret(' ', '')] }, {}, { env: {} }],
    [
      'a name is a name, whatever it is',
      { env: [secret('__proto__', 'x')] },
      {},
      JSON.parse('{"env":{"__proto__":"x"}}'),
    ],
    ['arguments that nobody changed keep lines within them', {}, { args: ['a\nb', ''] }, { args: ['a\nb', ''] }],
    ['one that is off stays off', {}, { enabled: false }, { enabled: false }],
  ])('%s', (_, change, before, want) => {
    expect(saved(change, server(before))).toMatchObject(want)
  })

  it('says nothing of where values are kept when there are none', () => {
    expect(saved({}, server())).not.toHaveProperty('keepSecrets')
  })

  it.each<[string, Partial<Draft>, string]>([
    ['a value without a name', { env: [secret('', 'x')] }, 'A variable has a value and no name.'],
    ['a variable twice', { env: [secret('A', 'x'), secret(' A', 'y')] }, 'The variable A comes twice.'],
    [
      'a header twice, in other letters',
      { transport: 'http', headers: [secret('Token', 'x'), secret('token', 'y')] },
      'The header token comes twice.',
    ],
  ])('refuses %s', (_, change, want) => {
    expect(saved(change)).toBe(want)
  })

  it('takes variables that differ in capitals for two', () => {
    expect(saved({ env: [secret('A', 'x'), secret('a', 'y')] })).toMatchObject({ env: { A: 'x', a: 'y' } })
  })
})

it('a server that is switched keeps all else, its values too', () => {
  const before = server({ transport: 'http', url: 'https://x', headers: ['Authorization'], asks: 'always' })
  expect(switched(before, false)).toEqual({
    transport: 'http',
    command: 'npx',
    args: [],
    env: {},
    url: 'https://x',
    headers: { Authorization: null },
    asks: 'always',
    enabled: false,
  })
})
