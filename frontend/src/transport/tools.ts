import { elements, rawMember } from '../protocol/json'
import { type Fields, fields, flag, number, optionalText, parse, text, texts, word } from './decode'

/** Where tools come from, with all it lists: those that cannot be used too. */
export interface ToolSource {
  id: string
  label: string
  description: string
  /** A try needs a folder. */
  folder: boolean
  /** Switched off in Settings: agents are not offered its tools. */
  off: boolean
  /** Of a server; of what needs no starting it is ready. */
  state: 'ready' | 'off' | 'starting' | 'failed'
  /** Why it does not work as it should. */
  fault?: string
  tools: SourceTool[]
}

/** A tool as its source lists it. */
export interface SourceTool {
  /** At its source. */
  name: string
  /** Among the agents' tools; empty when it cannot be called. */
  toolName: string
  description: string
  /** What is wrong with it. One that can be called all the same takes its arguments unchecked. */
  fault?: string
  callable: boolean
  /** The thread of its tries, and whether there is one. */
  threadId: string
  tried: boolean
  /** The JSON Schema of the arguments: as JavaScript has it, and every digit of it. Absent when it has none. */
  parameters?: unknown
  parametersText?: string
  outputText?: string
  category?: string
  tags: string[]
  sideEffects: string[]
  /** Which calls wait for a person; absent when that is not known. */
  approval?: 'never' | 'always' | 'arguments'
  /** 0 is no limit. */
  timeoutMs: number
  sandbox?: string
  label?: string
  icon?: string
}

/** Reads a source of its JSON text. */
export function toolSource(raw: string): ToolSource {
  const of = fields(parse(raw))
  return {
    id: text(of, 'id'),
    label: text(of, 'label'),
    description: text(of, 'description'),
    folder: flag(of, 'folder'),
    off: flag(of, 'off'),
    state: word(of, 'state', ['ready', 'off', 'starting', 'failed']),
    fault: optionalText(of, 'fault'),
    tools: elements(rawMember(raw, 'tools') ?? '[]').map(sourceTool),
  }
}

function sourceTool(raw: string): SourceTool {
  const of = fields(parse(raw))
  const { label, icon } = fields(of.presentation)
  return {
    name: text(of, 'name'),
    toolName: text(of, 'toolName'),
    description: text(of, 'description'),
    fault: optionalText(of, 'fault'),
    callable: flag(of, 'callable'),
    threadId: text(of, 'threadId'),
    tried: flag(of, 'tried'),
    parameters: of.parameters,
    parametersText: rawMember(raw, 'parameters'),
    outputText: rawMember(raw, 'outputSchema'),
    category: optionalText(of, 'category'),
    tags: texts(of, 'tags'),
    sideEffects: texts(of, 'sideEffects'),
    approval: approval(of),
    timeoutMs: number(of, 'timeoutMs'),
    sandbox: optionalText(of, 'sandbox'),
    label: typeof label === 'string' ? label : undefined,
    icon: typeof icon === 'string' ? icon : undefined,
  }
}

function approval(of: Fields): SourceTool['approval'] {
  return 'approval' in of
    ? word<'never' | 'always' | 'arguments'>(of, 'approval', ['never', 'always', 'arguments'])
    : undefined
}
