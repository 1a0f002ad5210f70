import type { FoundProvider, Provider } from '../transport/answers'
import type { Attached } from '../transport/attached'
import type { McpServer } from '../transport/mcp'

/** A dialog that sets something up. */
export type SetUp =
  | {
      kind: 'settings'
      /** The part to go to; absent for the top. */
      section?: string
    }
  | {
      kind: 'provider'
      provider?: Provider
      found?: FoundProvider
      /** What has to be mended in it; the model, before a message can be sent. */
      mend?: 'model' | 'key'
      /** It was opened from the settings, and leads back there. */
      within?: boolean
    }
  | {
      kind: 'mcp'
      server?: McpServer
      /** It was opened from the settings, and leads back there. */
      within?: boolean
    }
  | {
      kind: 'attach'
      server?: Attached
      /** What is asked to be attached: it is written into the form, and nothing is sent before a person does. */
      address?: string
      name?: string
      /** It was opened from the settings, and leads back there. */
      within?: boolean
    }
  | {
      kind: 'agent'
      /** The agent to change; absent for a new one. */
      name?: string
      /** The agent a new one begins as. */
      copy?: string
      within?: boolean
    }
  | { kind: 'agentImport'; file: string }

/** A thread that is to go out as a file, or a file that is to come in. */
export type Share = { kind: 'export'; threadId: string; title: string } | { kind: 'import'; file?: File }

export interface Jump {
  threadId: string
  runId: string
  callId?: string
  turn?: number
  /** Its row's own key, of one that is no call and no turn. */
  key?: string
  quiet?: boolean
}

/** A text that a search over all threads led to. */
export interface Led {
  threadId: string
  runId: string
  /** Of a message or a part of the answer. */
  itemId?: string
  callId?: string
  /** What to mark there; empty where nothing was searched for. */
  text: string
}

/** A row that a search led to. */
export interface Found {
  key: string
  /** What to open in it: absent where the row shows it as it is. Each step of the search has its own. */
  wanted?: RegExp
}
