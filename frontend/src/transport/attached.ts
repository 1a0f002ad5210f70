import { type Fields, fields, flag, optionalText, text, texts, word } from './decode'

/** A server of the protocol that is attached: its agents are listed and run beside those here. */
export interface Attached {
  name: string
  url: string
  hasToken: boolean
  /** Where the token is; '' when there is none. */
  tokenKept: '' | 'keychain' | 'memory' | 'file'
  /** Why the token is not where it should be; of the answer to a change. */
  tokenFault?: string
  state: 'asking' | 'ready' | 'failed'
  error?: string
  /** As it said last; '' when it does not tell. */
  version: string
  /** It numbers no events: a connection that breaks ends what was read over it. */
  base: boolean
  /** As the server calls them. */
  agents: string[]
  tools: string[]
}

/** What a server is attached with. */
export interface AttachedInput {
  url: string
  /** Absent, the token there is stays; empty, it is forgotten. */
  token?: string
  keepToken?: 'keychain' | 'memory' | 'file'
}

/** What came of asking a server. */
export interface AttachedTest {
  ok: boolean
  server: Attached
  error?: string
}

export function attached(of: Fields): Attached {
  return {
    name: text(of, 'name'),
    url: text(of, 'url'),
    hasToken: flag(of, 'hasToken'),
    tokenKept: word(of, 'tokenKept', ['', 'keychain', 'memory', 'file']),
    tokenFault: optionalText(of, 'tokenFault'),
    state: word(of, 'state', ['asking', 'ready', 'failed']),
    error: optionalText(of, 'error'),
    version: text(of, 'version'),
    base: flag(of, 'base'),
    agents: texts(of, 'agents'),
    tools: texts(of, 'tools'),
  }
}

export function attachedTest(of: Fields): AttachedTest {
  return { ok: flag(of, 'ok'), server: attached(fields(of.server)), error: optionalText(of, 'error') }
}

/** Whether an agent is who calls a tool with what a person wrote: a message to it is arguments, and it remembers none. */
export function isByHand(agentName: string): boolean {
  return /^by-hand(:|$)/.test(agentName)
}

/** The attached server an agent is on, by the agent's name; '' of one that is here. */
export function serverOf(agentName: string): string {
  const at = agentName.lastIndexOf('@')
  return at < 0 ? '' : agentName.slice(at + 1)
}
