import type { KeyHome } from '../../transport/answers'
import type { McpAsks, McpInput, McpServer } from '../../transport/mcp'
import { FieldFault } from './formFault'

/** A variable of a server's environment, or a header that is sent to it. */
export interface Secret {
  /** Its place in the form. */
  key: number
  name: string
  value: string
  /** There is a value, or there was one: what is left empty leaves it as it is. */
  kept: boolean
}

/** A server as it stands in the form. */
export interface Draft {
  name: string
  transport: McpServer['transport']
  command: string
  /** One argument a line. */
  args: string
  env: Secret[]
  url: string
  headers: Secret[]
  asks: McpAsks
  keepSecrets: KeyHome
}

/** How a form names the field of the secret at a place. */
export const secretField = (key: number) => `secret-${key}`

let keys = 0

export function secretOf(name: string, kept = false): Secret {
  return { key: ++keys, name, value: '', kept }
}

/** A draft; usual is where new values go when nobody says. */
export function draftOf(server?: McpServer, usual: KeyHome = 'memory'): Draft {
  return {
    name: server?.name ?? '',
    transport: server?.transport ?? 'stdio',
    command: server?.command ?? '',
    args: linesOf(server?.args),
    env: (server?.env ?? []).map((name) => secretOf(name, true)),
    url: server?.url ?? '',
    headers: (server?.headers ?? []).map((name) => secretOf(name, true)),
    asks: server?.asks ?? '',
    keepSecrets: server?.secretsKept || usual,
  }
}

/** What to save of a draft. It throws a FieldFault of what is wrong with it; the rest the server checks. */
export function inputOf(draft: Draft, before?: McpServer): McpInput {
  const isStdio = draft.transport === 'stdio'
  if (!before && !/^[A-Za-z0-9-]{1,32}$/.test(draft.name.trim()))
    throw new FieldFault('name', draft.name.trim() ? 'Only letters, digits and - may be in it.' : 'It needs a name.')
  if (isStdio && !draft.command.trim()) throw new FieldFault('command', 'It needs a command, such as npx.')
  if (!isStdio && !/^https?:\/\/./.test(draft.url.trim()))
    throw new FieldFault('url', 'It needs a whole address, such as https://example.com/mcp.')
  const secrets = isStdio ? draft.env : draft.headers
  const word = isStdio ? 'variable' : 'header'
  const written = new Map<string, string | null>()
  const seen = new Set<string>()
  for (const { key, value, kept, ...secret } of secrets) {
    const name = secret.name.trim()
    if (!name && !value) continue
    if (!name) throw new FieldFault(secretField(key), `This ${word} has a value and no name.`)
    // The names of headers are the same in small letters and in capitals.
    const same = isStdio ? name : name.toLowerCase()
    if (seen.has(same)) throw new FieldFault(secretField(key), `The ${word} ${name} comes twice.`)
    seen.add(same)
    written.set(name, kept && !value ? null : value)
  }
  const values = Object.fromEntries(written)
  const [command, more] = commandOf(draft.command.trim())
  return {
    transport: draft.transport,
    command: isStdio ? command : '',
    args: isStdio ? [...more, ...argsOf(draft.args, before?.args)] : [],
    env: isStdio ? values : {},
    url: isStdio ? '' : draft.url.trim(),
    headers: isStdio ? {} : values,
    asks: draft.asks,
    enabled: before?.enabled ?? true,
    ...(written.size > 0 && { keepSecrets: draft.keepSecrets }),
  }
}

/** A server as it is, switched on or off. */
export function switched(server: McpServer, enabled: boolean): McpInput {
  const { transport, command, args, url, asks } = server
  const same = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
  return { transport, command, args, env: same(server.env), url, headers: same(server.headers), asks, enabled }
}

function linesOf(args: string[] = []): string {
  return args.join('\n')
}

/**
 * The program of a command line, as READMEs give it, and its arguments, quotes taken off. A path may have spaces in it, and stays
 * as it is.
 */
function commandOf(line: string): [program: string, args: string[]] {
  const [program = '', ...args] = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
  return /[\\/]/.test(program) ? [line, []] : [program, args]
}

/** The lines that say something; what nobody changed stays as it is, lines within an argument too. */
function argsOf(lines: string, before: string[] = []): string[] {
  if (lines === linesOf(before)) return before
  return lines.split('\n').filter((line) => line.trim() !== '')
}
