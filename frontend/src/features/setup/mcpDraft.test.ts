import { describe, expect, it } from 'vitest'
import { type McpServer, mcpServer } from '../../transport/mcp'
import { formFault } from './formFault'
import { type Draft, draftOf, inputOf, type Secret, secretField, secretOf, switched } from './mcpDraft'

const server = (of: object = {}): McpServer => mcpServer({ name: 'words', enabled: true, command: 'npx', ...of })
const secret = (name: string, value: string, kept = false): Secret => ({ ...secretOf(name, kept), value })

/** What is saved of a draft. */
const saved = (change: Partial<Draft>, before?: McpServer) => inputOf({ ...draftOf(before), ...change }, before)

describe('what is saved of a server', () => {
  it.each<[string, Partial<Draft>, object, object]>([
    [
      'a program has no address and no headers',
      { command: ' npx ', args: '-y\n\n server \n', url: 'https://x', headers: [secret('A', 'b')] },
      {},
      { command: 'npx', args: ['-y', ' server '], env: {}, url: '', headers: {}, enabled: true, asks: '' },
    ],
    [
      'a command line is split into the program and its arguments, those in the field below behind them',
      { command: `npx -y "@scope/a server" --env='A B' it's`, args: '--last' },
      {},
      { command: 'npx', args: ['-y', '@scope/a server', '--env=A B', "it's", '--last'] },
    ],
    [
      'a path may have spaces',
      { command: String.raw`C:\Program Files\node\npx.cmd` },
      {},
      { command: String.raw`C:\Program Files\node\npx.cmd`, args: [] },
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

  const [first, second] = [secret('A', 'x'), secret(' A', 'y')]
  const token = secret('token', 'y')
  it.each<[string, Partial<Draft>, string, string]>([
    ['a server without a name', { name: ' ' }, 'name', 'It needs a name.'],
    ['a name with a space', { name: 'my words' }, 'name', 'Only letters, digits and - may be in it.'],
    ['a program without a command', { command: '' }, 'command', 'It needs a command, such as npx.'],
    [
      'half an address',
      { transport: 'http', url: 'example.com/mcp' },
      'url',
      'It needs a whole address, such as https://example.com/mcp.',
    ],
    [
      'a value without a name',
      { env: [token, { ...first, name: '' }] },
      secretField(first.key),
      'This variable has a value and no name.',
    ],
    ['a variable twice', { env: [first, second] }, secretField(second.key), 'The variable A comes twice.'],
    [
      'a header twice, in other letters',
      { transport: 'http', url: 'https://x', headers: [secret('Token', 'x'), token] },
      secretField(token.key),
      'The header token comes twice.',
    ],
  ])('refuses %s, and says in which field it is', (_, change, field, text) => {
    const draft = { ...draftOf(), name: 'words', command: 'npx', ...change }
    let thrown: unknown
    try {
      inputOf(draft)
    } catch (cause) {
      thrown = cause
    }
    expect(formFault(thrown, [])).toEqual({ field, text })
  })

  it('takes variables that differ in capitals for two', () => {
    expect(saved({ env: [secret('A', 'x'), secret('a', 'y')] }, server())).toMatchObject({ env: { A: 'x', a: 'y' } })
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
