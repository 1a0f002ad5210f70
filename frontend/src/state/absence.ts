import type { StudioState, ThreadChoice } from '../transport/answers'
import { serverOf } from '../transport/attached'

/** Why nobody answers in a thread. */
export interface Absence {
  /** Stands beside the agent's name. */
  word: string
  text: string
  /** The server that has to be attached. */
  server?: string
}

/** Why the agent of a thread is not there; undefined when it is. An imported one may never have been. */
export function absence(state: StudioState, choice: ThreadChoice, imported: boolean): Absence | undefined {
  const name = choice.agentName || state.settings.agentName
  if (state.agents.some((agent) => agent.name === name)) return undefined
  const server = serverOf(name)
  if (!server) {
    const text = `The agent ${name} ${imported ? 'is not here' : 'was deleted'}. Choose another one to go on.`
    return { word: imported ? 'not here' : 'deleted', text }
  }
  const attached = state.attached.find((each) => each.name === server)
  if (!attached) return { word: 'not attached', text: `${server} is not attached here.`, server }
  if (attached.state !== 'ready') return undefined // it was not heard yet, or says itself what is wrong
  const there = name.slice(0, -server.length - 1)
  return { word: 'not there', text: `${server} has no agent ${there}. Choose another one to go on.` }
}
