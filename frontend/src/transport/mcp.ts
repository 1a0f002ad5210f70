import { type Fields, flag, list, optionalText, text, texts, word } from './decode'

/** Whose calls wait for a person: '' is those of every tool that does not call itself read-only. */
export type McpAsks = '' | 'destructive' | 'always' | 'never'

/** A tool of a server. */
export interface McpTool {
  /** On the server. */
  name: string
  /** Among the agents' tools; empty when it cannot be used. */
  toolName: string
  description: string
  /** Why it cannot be used. */
  error?: string
}

/** A server that is set up: how it is reached, how it is, and what it has. */
export interface McpServer {
  name: string
  transport: 'stdio' | 'http'
  command: string
  args: string[]
  /** The names of its variables: their values never come back. */
  env: string[]
  url: string
  /** The names of its headers. */
  headers: string[]
  asks: McpAsks
  enabled: boolean
  /** Where the values are; '' when there are none. */
  secretsKept: '' | 'keychain' | 'memory' | 'file'
  /** Why values that were just handed in are not where they should be. */
  secretFault?: string
  /** Names of env and headers whose value is gone. */
  missing: string[]
  state: 'off' | 'starting' | 'ready' | 'failed'
  tools: McpTool[]
  error?: string
}

/** What a server is set up with. */
export interface McpInput {
  transport: McpServer['transport']
  command: string
  args: string[]
  /** By name; null keeps the value there is, and a name left out is forgotten. */
  env: Record<string, string | null>
  url: string
  headers: Record<string, string | null>
  asks: McpAsks
  enabled: boolean
  /** Absent, values stay where they are. */
  keepSecrets?: 'keychain' | 'memory' | 'file'
  /** false leaves the start to the test that follows. */
  start?: false
}

/** What came of trying a server. */
export interface McpTest {
  ok: boolean
  tools: McpTool[]
  error?: string
  /** The last lines it wrote to its standard error, and to its standard output beside its messages. */
  log: string[]
}

export function mcpServer(of: Fields): McpServer {
  return {
    name: text(of, 'name'),
    transport: word(of, 'transport', ['stdio', 'http']),
    command: text(of, 'command'),
    args: texts(of, 'args'),
    env: texts(of, 'env'),
    url: text(of, 'url'),
    headers: texts(of, 'headers'),
    asks: word(of, 'asks', ['', 'destructive', 'always', 'never']),
    enabled: flag(of, 'enabled'),
    secretsKept: word(of, 'secretsKept', ['', 'keychain', 'memory', 'file']),
    secretFault: optionalText(of, 'secretFault'),
    missing: texts(of, 'missing'),
    state: word(of, 'state', ['off', 'starting', 'ready', 'failed']),
    tools: list(of, 'tools', mcpTool),
    error: optionalText(of, 'error'),
  }
}

export function mcpTest(of: Fields): McpTest {
  return {
    ok: flag(of, 'ok'),
    tools: list(of, 'tools', mcpTool),
    error: optionalText(of, 'error'),
    log: texts(of, 'log'),
  }
}

function mcpTool(of: Fields): McpTool {
  return {
    name: text(of, 'name'),
    toolName: text(of, 'toolName'),
    description: text(of, 'description'),
    error: optionalText(of, 'error'),
  }
}
