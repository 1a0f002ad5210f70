import { elements, rawMember } from '../protocol/json'
import { type Records, splitEventsInSteps } from '../protocol/records'
import { type AgentPreview, type AgentSpec, agentPreview, agentSpec } from './agents'
import {
  type Decision,
  type FileText,
  type FolderListing,
  type FoundProvider,
  foundProvider,
  type PendingApproval,
  type Provider,
  type ProviderInput,
  pendingApproval,
  provider,
  type RunSummary,
  runSummary,
  type Settings,
  type StudioState,
  type StudioThread,
  settings,
  studioState,
  studioThread,
  type TestResult,
  type ThreadChoice,
  type ThreadSummary,
  testResult,
  threadSummary,
} from './answers'
import { ApiError, messageOf, said } from './apiError'
import { type Attached, type AttachedInput, type AttachedTest, attached, attachedTest } from './attached'
import { type CommandPlace, type CommandTest, commandTest } from './commandPlace'
import { type Fields, fields, flag, isFields, list, number, parse, text, texts } from './decode'
import {
  type AddedMessage,
  addedMessage,
  type HistoryMessage,
  historyMessage,
  type NextRequest,
  nextRequest,
  type ProviderRequest,
  providerRequest,
} from './inspection'
import { type McpInput, type McpServer, type McpTest, mcpServer, mcpTest } from './mcp'
import { type Rule, type RuleDraft, type RulePreview, rule, rulePreview, type ToolInfo, toolInfo } from './rules'
import { type Found, found } from './search'
import {
  type ExportChoice,
  type ExportedFile,
  type ExportPreview,
  exportPreview,
  type ImportOutcome,
  imported,
} from './share'
import { Steps } from './steps'
import { type ToolSource, toolSource } from './tools'
import { type Note, note, type Schedule, schedule } from './toolsets'
import type { Answer, Transport } from './transport'

const at = encodeURIComponent

/** The Studio's HTTP API. Every method rejects with an ApiError. */
export class Api {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async threads(query = ''): Promise<ThreadSummary[]> {
    return list(await this.#get(`/threads${query ? `?query=${at(query)}` : ''}`), 'threads', threadSummary)
  }

  async runs(threadId: string): Promise<RunSummary[]> {
    return list(await this.#get(`/threads/${at(threadId)}/runs`), 'runs', runSummary)
  }

  /** The messages that programs put into a thread, outside of its runs; none of a thread that is not there. */
  async added(threadId: string): Promise<AddedMessage[]> {
    return list(await this.#get(`/studio/threads/${at(threadId)}/added`), 'messages', addedMessage)
  }

  /** The events of a run after a number, as they are now, with references in place of large values. */
  async events(runId: string, after: number, signal?: AbortSignal): Promise<Records> {
    const answer = await this.#send('GET', `/runs/${at(runId)}/events?after=${after}&refs=1`, undefined, signal)
    return splitEventsInSteps(answer, new Steps())
  }

  /** The events of a run as a client made for users is sent them. */
  async userEvents(runId: string, signal?: AbortSignal): Promise<Records> {
    const answer = await this.#send('GET', `/runs/${at(runId)}/events?after=0&view=user`, undefined, signal)
    return splitEventsInSteps(answer, new Steps())
  }

  /** The text of a large value. */
  body(hash: string): Promise<string> {
    return this.#send('GET', `/blobs/${at(hash)}`)
  }

  /** The hashes of a run's large values that hold a text. */
  async find(runId: string, wanted: string, signal?: AbortSignal): Promise<string[]> {
    return texts(await this.#get(`/runs/${at(runId)}/find?text=${at(wanted)}`, signal), 'hashes')
  }

  /** Searches all threads, asked as the query of an address is written. */
  async search(asked: string, signal?: AbortSignal): Promise<Found> {
    return found(await this.#get(`/studio/search?${asked}`, signal))
  }

  /** The tries of one turn as they went over the wire. */
  async requests(runId: string, turn: number, signal?: AbortSignal): Promise<ProviderRequest[]> {
    const answer = await this.#get(`/runs/${at(runId)}/requests?turn=${turn}`, signal)
    return list(answer, 'requests', providerRequest).filter((each) => each.turn === turn)
  }

  /** What the models of a thread have read. */
  async history(threadId: string, signal?: AbortSignal): Promise<HistoryMessage[]> {
    return list(await this.#get(`/threads/${at(threadId)}`, signal), 'messages', historyMessage)
  }

  /** What the next request in a thread will send. */
  async next(threadId: string, signal?: AbortSignal): Promise<NextRequest> {
    return nextRequest(await this.#get(`/studio/threads/${at(threadId)}/next`, signal))
  }

  async startRun(threadId: string, agentName: string, input: string, denyPending = false): Promise<string> {
    const body = { input, threadId, ...(denyPending && { pending: 'deny' }) }
    return text(await this.#json('POST', `/agents/${at(agentName)}/runs`, body), 'runId')
  }

  async cancelRun(runId: string): Promise<void> {
    await this.#send('POST', `/runs/${at(runId)}/cancel`)
  }

  async cancelCall(runId: string, callId: string): Promise<void> {
    await this.#send('POST', `/runs/${at(runId)}/calls/${at(callId)}/cancel`)
  }

  async approvals(): Promise<PendingApproval[]> {
    const answer = await this.#send('GET', '/approvals')
    try {
      return elements(rawMember(answer, 'approvals') ?? '[]').map(pendingApproval)
    } catch (cause) {
      throw new ApiError(`What waits could not be read: ${messageOf(cause)}`, '', 0)
    }
  }

  async decide(approvalId: string, decision: Decision): Promise<void> {
    const { resultText, ...rest } = decision
    const body = JSON.stringify(rest)
    // The result is JSON text already: put in as it is, so that no digit of it is rounded.
    const full = resultText === undefined ? body : `${body.slice(0, -1)},"result":${resultText}}`
    await this.#send('POST', `/approvals/${at(approvalId)}/decision`, full)
  }

  /** The tools of all agents, or of one, with the schemas of their arguments. */
  async tools(agentName = ''): Promise<ToolInfo[]> {
    const answer = await this.#send('GET', `/tools${agentName ? `?agent=${at(agentName)}` : ''}`)
    return elements(rawMember(answer, 'tools') ?? '[]').map(toolInfo)
  }

  /** The tools of every source, those that cannot be used too. */
  async toolSources(): Promise<ToolSource[]> {
    return elements(rawMember(await this.#send('GET', '/studio/tools'), 'sources') ?? '[]').map(toolSource)
  }

  /** Makes one call of a tool as a run of its own, with the arguments' text as it is. */
  async tryTool(source: string, name: string, argumentsText: string, folder: string): Promise<void> {
    await this.#json('POST', '/studio/tools/try', { source, name, argumentsText, folder })
  }

  async rules(): Promise<Rule[]> {
    return list(await this.#get('/studio/rules'), 'rules', rule)
  }

  async createRule(draft: RuleDraft): Promise<Rule> {
    return rule(await this.#json('POST', '/studio/rules', draft))
  }

  /** What a rule would say and which past calls it would have allowed; nothing is saved. */
  async previewRule(draft: RuleDraft, signal?: AbortSignal): Promise<RulePreview> {
    return rulePreview(await this.#json('POST', '/studio/rules/preview', draft, signal))
  }

  async changeRule(id: string, change: { enabled?: boolean; name?: string; expiresAt?: number }): Promise<Rule> {
    return rule(await this.#json('PATCH', `/studio/rules/${at(id)}`, change))
  }

  async deleteRule(id: string): Promise<void> {
    await this.#send('DELETE', `/studio/rules/${at(id)}`)
  }

  async renameThread(threadId: string, title: string): Promise<void> {
    await this.#json('PATCH', `/threads/${at(threadId)}`, { title })
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#send('DELETE', `/threads/${at(threadId)}`)
  }

  async studio(): Promise<StudioState> {
    return studioState(await this.#get('/studio/state'))
  }

  async found(): Promise<FoundProvider[]> {
    return list(await this.#get('/studio/found'), 'found', foundProvider)
  }

  async saveSettings(change: Partial<Settings>): Promise<Settings> {
    return settings(await this.#json('PUT', '/studio/settings', change))
  }

  async createThread(choice: ThreadChoice): Promise<StudioThread> {
    return studioThread(await this.#json('POST', '/studio/threads', choice))
  }

  async thread(threadId: string): Promise<StudioThread> {
    return studioThread(await this.#get(`/studio/threads/${at(threadId)}`))
  }

  async changeThread(threadId: string, choice: ThreadChoice): Promise<StudioThread> {
    return studioThread(await this.#json('PATCH', `/studio/threads/${at(threadId)}`, choice))
  }

  /** A new thread with everything that stands before a user's message. */
  async fork(threadId: string, messageId: string): Promise<StudioThread> {
    return studioThread(await this.#json('POST', `/studio/threads/${at(threadId)}/fork`, { messageId }))
  }

  /** A file of a thread's folder. */
  async file(threadId: string, path: string): Promise<FileText> {
    const answer = await this.#get(`/studio/threads/${at(threadId)}/file?path=${at(path)}`)
    return { text: text(answer, 'text'), bytes: number(answer, 'size'), cut: flag(answer, 'truncated') }
  }

  /** An agent as it is edited. */
  async agent(name: string): Promise<AgentSpec> {
    return agentSpec(await this.#get(`/studio/agents/${at(name)}`))
  }

  /** Makes an agent, or with change changes the one of its name. */
  async saveAgent(spec: AgentSpec, change: boolean): Promise<AgentSpec> {
    const [method, path] = change ? ['PUT', `/studio/agents/${at(spec.name)}`] : ['POST', '/studio/agents']
    return agentSpec(await this.#json(method, path, spec))
  }

  async deleteAgent(name: string): Promise<void> {
    await this.#send('DELETE', `/studio/agents/${at(name)}`)
  }

  /** An agent as a file: JSON, in which no key is. */
  async agentFile(name: string): Promise<string> {
    const file: unknown = JSON.parse(await this.#send('GET', `/studio/agents/${at(name)}/file`))
    return `${JSON.stringify(file, undefined, 2)}\n`
  }

  /** What an import would do; nothing is kept. An empty name is the file's. */
  async previewAgent(file: string, name: string): Promise<AgentPreview> {
    return agentPreview(await this.#json('POST', '/studio/agents/preview', { text: file, name }))
  }

  async importAgent(file: string, name: string, replace: boolean): Promise<AgentSpec> {
    return agentSpec(await this.#json('POST', '/studio/agents/import', { text: file, name, replace }))
  }

  async saveProvider(id: string, input: ProviderInput): Promise<Provider> {
    return provider(await this.#json('PUT', `/studio/providers/${at(id)}`, input))
  }

  async deleteProvider(id: string): Promise<void> {
    await this.#send('DELETE', `/studio/providers/${at(id)}`)
  }

  /** The models a server has, which it tells at once where a test may take long. */
  async listModels(id: string): Promise<TestResult> {
    return testResult(await this.#json('POST', `/studio/providers/${at(id)}/models`, {}))
  }

  async testProvider(id: string, model: string): Promise<TestResult> {
    return testResult(await this.#json('POST', `/studio/providers/${at(id)}/test`, model ? { model } : {}))
  }

  /** Sets a server up, or changes the one of that name. */
  async saveMcp(name: string, input: McpInput): Promise<McpServer> {
    return mcpServer(await this.#json('PUT', `/studio/mcp/${at(name)}`, input))
  }

  async deleteMcp(name: string): Promise<void> {
    await this.#send('DELETE', `/studio/mcp/${at(name)}`)
  }

  /** Starts a server, also one that is off, and lists what it has. */
  async testMcp(name: string): Promise<McpTest> {
    return mcpTest(await this.#json('POST', `/studio/mcp/${at(name)}/test`))
  }

  /** Runs a command that changes nothing in such a container, which may have to be pulled first. */
  async testCommands(place: CommandPlace): Promise<CommandTest> {
    return commandTest(await this.#json('POST', '/studio/sandbox/test', place))
  }

  /** Attaches a server, or changes the one of that name. */
  async saveAttached(name: string, input: AttachedInput): Promise<Attached> {
    return attached(await this.#json('PUT', `/studio/attached/${at(name)}`, input))
  }

  async deleteAttached(name: string): Promise<void> {
    await this.#send('DELETE', `/studio/attached/${at(name)}`)
  }

  /** Asks a server what it has. */
  async testAttached(name: string): Promise<AttachedTest> {
    return attachedTest(await this.#json('POST', `/studio/attached/${at(name)}/test`))
  }

  async schedules(): Promise<Schedule[]> {
    return list(await this.#get('/studio/schedules'), 'schedules', schedule)
  }

  async deleteSchedule(id: string): Promise<void> {
    await this.#send('DELETE', `/studio/schedules/${at(id)}`)
  }

  /** The notes that have to do with some words; without any, all of them. */
  async notes(query: string, signal?: AbortSignal): Promise<Note[]> {
    return list(await this.#get(`/studio/notes${query ? `?query=${at(query)}` : ''}`, signal), 'notes', note)
  }

  async deleteNote(id: string): Promise<void> {
    await this.#send('DELETE', `/studio/notes/${at(id)}`)
  }

  async folders(path: string): Promise<FolderListing> {
    const answer = await this.#get(`/studio/folders?path=${at(path)}`)
    return {
      path: text(answer, 'path'),
      parent: text(answer, 'parent'),
      entries: list(answer, 'entries', (entry) => ({ name: text(entry, 'name'), path: text(entry, 'path') })),
      error: text(answer, 'error'),
    }
  }

  /** What an export would mask. */
  async exportPreview(threadId: string, choice: ExportChoice, signal?: AbortSignal): Promise<ExportPreview> {
    return exportPreview(await this.#json('POST', `/studio/threads/${at(threadId)}/export/preview`, choice, signal))
  }

  async exportThread(threadId: string, choice: ExportChoice): Promise<ExportedFile> {
    const answer = await this.#ask('POST', `/studio/threads/${at(threadId)}/export`, JSON.stringify(choice))
    return { name: answer.fileName ?? 'thread', content: said(answer) }
  }

  /** Takes the thread of a file; as a copy it may stand beside the one that is here. */
  async importThread(file: Blob, asCopy: boolean): Promise<ImportOutcome> {
    const answer = await this.#ask('POST', `/studio/import${asCopy ? '?copy=true' : ''}`, file)
    const value = fields(parse(answer.text))
    if (answer.status === 409) return { kind: 'here', threadId: text(value, 'threadId') }
    said(answer)
    return imported(value)
  }

  #get(path: string, signal?: AbortSignal): Promise<Fields> {
    return this.#json('GET', path, undefined, signal)
  }

  async #json(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Fields> {
    const answer = await this.#send(method, path, body && JSON.stringify(body), signal)
    const value = parse(answer)
    if (!isFields(value)) throw new ApiError(`${method} ${path} gave an answer that is not JSON.`, '', 0)
    return value
  }

  async #send(method: string, path: string, body?: string, signal?: AbortSignal): Promise<string> {
    return said(await this.#ask(method, path, body, signal), `${method} ${path}`)
  }

  #ask(method: string, path: string, body?: string | Blob, signal?: AbortSignal): Promise<Answer> {
    return this.#transport.request(method, path, body, signal).catch((cause: unknown) => {
      throw new ApiError(`The Studio does not answer (${messageOf(cause)}).`, 'UNREACHABLE', 0)
    })
  }
}
