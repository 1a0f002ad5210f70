import { decodeApproval } from '../protocol/decode'
import type { Approval, Status } from '../protocol/events'
import { type AgentInfo, agentInfo } from './agents'
import { type Attached, attached } from './attached'
import { type CommandPlace, commandPlace } from './commandPlace'
import {
  type Fields,
  fields,
  flag,
  flags,
  isFields,
  list,
  number,
  optionalNumber,
  optionalText,
  parse,
  text,
  texts,
  word,
} from './decode'
import { type McpServer, mcpServer } from './mcp'
import { type Origin, origin } from './share'
import { type Sandbox, sandbox, type Toolset, toolset } from './toolsets'

export interface ThreadSummary {
  id: string
  title: string
  agentName: string
  runId: string
  /** Absent before the first run. */
  status?: Status
  error: string
  errorCode: string
  calls: number
  pendingApprovals: number
  waitingSince: number
  createdAt: number
  updatedAt: number
}

export interface RunSummary {
  id: string
  agentName: string
  status: Status
  last: number
  createdAt: number
}

export interface Decision {
  approved: boolean
  reason?: string
  argumentsText?: string
  argumentsHash?: string
  /** JSON text: the result of a call whose own is not known. */
  resultText?: string
}

export interface Provider {
  id: string
  name: string
  baseUrl: string
  model: string
  models: string[]
  hasKey: boolean
  keyKept: '' | 'env' | KeyHome
  /** Why a key that was just handed in is not where it should be. */
  keyFault?: string
}

/** Where a key is kept. */
export type KeyHome = 'keychain' | 'memory' | 'file'

export const keyHomes = ['keychain', 'memory', 'file'] as const

export interface FoundProvider {
  id: string
  name: string
  baseUrl: string
  models: string[]
  source: 'environment' | 'local'
}

export interface Settings {
  theme: 'system' | 'light' | 'dark'
  folder: string
  agentName: string
  providerId: string
  model: string
  prices: Price[]
  /** Calls of tools that ask for a sandbox may run on the machine itself where theirs is not there. */
  allowNativeFallback: boolean
  commands: CommandPlace
  /** Which tool sets are on, by name. A change holds those it changes. */
  toolsets: Record<string, boolean>
  /** Hosts that are not on the public net and that the browser may reach all the same. */
  browserHosts: string[]
  /** After how many days without an event a thread is deleted; 0 keeps every one. */
  retentionDays: number
}

/** What a model's tokens cost, in US dollars per million. */
export interface Price {
  /** The model's name, or how it begins with a * at the end. */
  model: string
  input: number
  output: number
  /** Absent, cached tokens cost what other input does. */
  cachedInput?: number
}

export interface StudioState {
  version: string
  /** What it was built from; empty where that is not known. */
  revision: string
  /** Where threads and settings are, on the machine that serves them. */
  dataFolder: string
  /** When the process that serves it began, in Unix ms. */
  openedAt: number
  agents: AgentInfo[]
  providers: Provider[]
  found: FoundProvider[]
  settings: Settings
  toolsets: Toolset[]
  mcpServers: McpServer[]
  attached: Attached[]
  sandbox: Sandbox
  /** Whether keys can be kept in the system's keychain, and why not. */
  keychain: { available: boolean; reason: string }
  /** The folder of --folder, else empty. */
  folder: string
  /** The folder that was chosen last, for a choice to begin in; empty when there is none. */
  lastFolder: string
  demoMessage: string
  /** A model set by flags for every agent. */
  overrideLabel?: string
}

export interface StudioThread {
  id: string
  title: string
  agentName: string
  folder: string
  folderMissing: boolean
  /** The folder is the demo's unpacked sample. */
  sample: boolean
  providerId: string
  model: string
  /** The tool that is tried by hand in it: its messages are arguments. */
  tried?: { source: string; name: string }
  /** Where it came from; absent when it was made here. */
  imported?: Origin
}

export interface ThreadChoice {
  agentName?: string
  folder?: string
  providerId?: string
  model?: string
}

export interface ProviderInput {
  name: string
  baseUrl: string
  model: string
  key?: string
  keepKey?: KeyHome
}

export interface TestResult {
  ok: boolean
  models: string[]
  toolCall: boolean
  error?: { message: string; code: string }
}

/** A file of a thread's folder, as it is now. */
export interface FileText {
  text: string
  /** Of the whole file. */
  bytes: number
  /** The text is only its beginning. */
  cut: boolean
}

export interface FolderListing {
  path: string
  parent: string
  entries: { name: string; path: string }[]
  error: string
}

/** Whether a folder is not there or cannot be read. One of which only some entries are listed can be. */
export function isUnreadable({ error, entries }: FolderListing): boolean {
  return error !== '' && entries.length === 0
}

/** A call that waits for a person, in any thread. */
export interface PendingApproval extends Approval {
  runId: string
  threadId: string
  agentName: string
  /** Unix ms. */
  since: number
}

const statuses = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const

export function threadSummary(of: Fields): ThreadSummary {
  return {
    id: text(of, 'id'),
    title: text(of, 'title'),
    agentName: text(of, 'agentName'),
    runId: text(of, 'runId'),
    status: text(of, 'status') ? word(of, 'status', statuses) : undefined,
    error: text(of, 'error'),
    errorCode: text(of, 'errorCode'),
    calls: number(of, 'calls'),
    pendingApprovals: number(of, 'pendingApprovals'),
    waitingSince: number(of, 'waitingSince'),
    createdAt: number(of, 'createdAt'),
    updatedAt: number(of, 'updatedAt'),
  }
}

export function runSummary(of: Fields): RunSummary {
  return {
    id: text(of, 'id') || text(of, 'runId'),
    agentName: text(of, 'agentName'),
    status: word(of, 'status', statuses),
    last: number(of, 'last'),
    createdAt: number(of, 'createdAt'),
  }
}

export function pendingApproval(json: string): PendingApproval {
  const of = fields(parse(json))
  return {
    ...decodeApproval(json),
    runId: text(of, 'runId'),
    threadId: text(of, 'threadId'),
    agentName: text(of, 'agentName'),
    since: number(of, 'since'),
  }
}

export function studioState(of: Fields): StudioState {
  return {
    version: text(of, 'version'),
    revision: text(of, 'revision'),
    dataFolder: text(of, 'dataFolder'),
    openedAt: number(of, 'openedAt'),
    agents: list(of, 'agents', agentInfo),
    providers: list(of, 'providers', provider),
    found: list(of, 'found', foundProvider),
    settings: settings(of.settings),
    toolsets: list(of, 'toolsets', toolset),
    mcpServers: list(of, 'mcpServers', mcpServer),
    attached: list(of, 'attached', attached),
    sandbox: sandbox(fields(of.sandbox)),
    keychain: {
      available: flag(fields(of.keychain), 'available'),
      reason: text(fields(of.keychain), 'reason'),
    },
    folder: text(of, 'folder'),
    lastFolder: text(of, 'lastFolder'),
    demoMessage: text(of, 'demoMessage'),
    overrideLabel: optionalText(fields(of.override), 'label'),
  }
}

export function settings(value: unknown): Settings {
  const of = fields(value)
  return {
    theme: word(of, 'theme', ['system', 'light', 'dark']),
    folder: text(of, 'folder'),
    agentName: text(of, 'agentName'),
    providerId: text(of, 'providerId'),
    model: text(of, 'model'),
    prices: list(of, 'prices', (price) => ({
      model: text(price, 'model'),
      input: number(price, 'input'),
      output: number(price, 'output'),
      cachedInput: optionalNumber(price, 'cachedInput'),
    })),
    allowNativeFallback: flag(of, 'allowNativeFallback'),
    commands: commandPlace(fields(of.commands)),
    toolsets: flags(of, 'toolsets'),
    browserHosts: texts(of, 'browserHosts'),
    retentionDays: number(of, 'retentionDays'),
  }
}

export function studioThread(of: Fields): StudioThread {
  return {
    id: text(of, 'id'),
    title: text(of, 'title'),
    agentName: text(of, 'agentName'),
    folder: text(of, 'folder'),
    folderMissing: flag(of, 'folderMissing'),
    sample: flag(of, 'sample'),
    providerId: text(of, 'providerId'),
    model: text(of, 'model'),
    tried: isFields(of.tried) ? { source: text(of.tried, 'source'), name: text(of.tried, 'name') } : undefined,
    imported: origin(of.imported),
  }
}

export function provider(of: Fields): Provider {
  return {
    id: text(of, 'id'),
    name: text(of, 'name'),
    baseUrl: text(of, 'baseUrl'),
    model: text(of, 'model'),
    models: texts(of, 'models'),
    hasKey: flag(of, 'hasKey'),
    keyKept: word(of, 'keyKept', ['', 'env', ...keyHomes]),
    keyFault: optionalText(of, 'keyFault'),
  }
}

export function foundProvider(of: Fields): FoundProvider {
  return {
    id: text(of, 'id'),
    name: text(of, 'name'),
    baseUrl: text(of, 'baseUrl'),
    models: texts(of, 'models'),
    source: word(of, 'source', ['environment', 'local']),
  }
}

export function testResult(of: Fields): TestResult {
  const error = fields(of.error)
  return {
    ok: flag(of, 'ok'),
    models: texts(of, 'models'),
    toolCall: flag(of, 'toolCall'),
    error: of.error ? { message: text(error, 'message'), code: text(error, 'code') } : undefined,
  }
}
