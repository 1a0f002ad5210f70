import { type Fields, fields, flag, number, optionalText, text, texts } from './decode'

/** A set of tools that can be switched on and off. Whether it is on, the settings say. */
export interface Toolset {
  name: string
  description: string
  /** The names of its tools. */
  tools: string[]
  /** Why it cannot work on this machine. */
  fault?: string
}

/** A message that is sent into a thread later. Times are Unix ms. */
export interface Schedule {
  id: string
  threadId: string
  threadTitle: string
  agentName: string
  message: string
  /** Absent: it is sent once. */
  cron?: string
  /** Of cron; absent is the zone of the machine. */
  timezone?: string
  next: number
  createdAt: number
  /** Why its message is due and was not sent. */
  waiting?: string
}

/** What an agent was asked to remember. */
export interface Note {
  id: string
  agentName: string
  /** About whom, where a client named users. */
  userId?: string
  text: string
  tags: string[]
  /** Unix ms. */
  createdAt: number
}

/** Where the calls of tools that ask for a sandbox can run. */
export interface Sandbox {
  docker: { available: boolean; reason: string }
  wasm: boolean
}

export function toolset(of: Fields): Toolset {
  return {
    name: text(of, 'name'),
    description: text(of, 'description'),
    tools: texts(of, 'tools'),
    fault: optionalText(of, 'fault'),
  }
}

export function schedule(of: Fields): Schedule {
  return {
    id: text(of, 'id'),
    threadId: text(of, 'threadId'),
    threadTitle: text(of, 'threadTitle'),
    agentName: text(of, 'agentName'),
    message: text(of, 'message'),
    cron: optionalText(of, 'cron'),
    timezone: optionalText(of, 'timezone'),
    next: number(of, 'next'),
    createdAt: number(of, 'createdAt'),
    waiting: optionalText(of, 'waiting'),
  }
}

export function note(of: Fields): Note {
  return {
    id: text(of, 'id'),
    agentName: text(of, 'agentName'),
    userId: optionalText(of, 'userId'),
    text: text(of, 'text'),
    tags: texts(of, 'tags'),
    createdAt: number(of, 'createdAt'),
  }
}

export function sandbox(of: Fields): Sandbox {
  const docker = fields(of.docker)
  return { docker: { available: flag(docker, 'available'), reason: text(docker, 'reason') }, wasm: flag(of, 'wasm') }
}
