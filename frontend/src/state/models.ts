import type { AgentInfo } from '../transport/agents'
import type { Provider, StudioState, ThreadChoice } from '../transport/answers'
import type { SetUp } from './leads'

/** A model's server, and the name to ask it for; empty when none is chosen. */
export interface ChosenModel {
  provider: Provider
  model: string
}

/** What threads speak with that name nothing else: what the settings say, else the first server there is. */
export function defaultModel({ providers, settings }: StudioState): ChosenModel | undefined {
  const provider = providers.find((each) => each.id === settings.providerId) ?? providers[0]
  if (!provider) return undefined
  return { provider, model: (provider.id === settings.providerId && settings.model) || provider.model }
}

/** What a thread with this choice speaks with; undefined when there is no such server. */
export function chosenModel(state: StudioState, { providerId, model }: ThreadChoice): ChosenModel | undefined {
  const fallback = defaultModel(state)
  if (!providerId || providerId === fallback?.provider.id)
    return fallback && { ...fallback, model: model || fallback.model }
  const provider = state.providers.find((each) => each.id === providerId)
  return provider && { provider, model: model || provider.model }
}

/** The agent of a thread with this choice; undefined when it was deleted. */
export function chosenAgent({ agents, settings }: StudioState, { agentName }: ThreadChoice): AgentInfo | undefined {
  const name = agentName || settings.agentName
  return agents.find((each) => each.name === name)
}

/** A choice with the model of its agent, where it has none of its own. */
function withAgentsModel(choice: ThreadChoice, agent: AgentInfo | undefined): ThreadChoice {
  if (choice.providerId || !agent?.providerId) return choice
  return { ...choice, providerId: agent.providerId, model: agent.model }
}

/** What has to be set up before a thread with this choice has a model; undefined when it has one, or needs none. */
export function missingModel(state: StudioState, choice: ThreadChoice): SetUp | undefined {
  const agent = chosenAgent(state, choice)
  if (state.overrideLabel !== undefined || (!choice.providerId && !agent?.needsModel)) return undefined
  const full = withAgentsModel(choice, agent)
  const chosen = chosenModel(state, full)
  if (chosen) return chosen.model ? undefined : { kind: 'provider', provider: chosen.provider, mend: 'model' }
  return full.providerId || state.found.length > 0 ? { kind: 'settings', section: 'Models' } : { kind: 'provider' }
}

/** Where what a thread with this choice speaks with is changed; by its key, if that is at fault. */
export function modelSettings(state: StudioState, choice: ThreadChoice, key: boolean): SetUp {
  const chosen = chosenModel(state, withAgentsModel(choice, chosenAgent(state, choice)))
  if (!chosen || state.overrideLabel !== undefined) return { kind: 'settings', section: 'Models' }
  return { kind: 'provider', provider: chosen.provider, ...(key && { mend: 'key' }) }
}
