import type { Absence } from '../../state/absence'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { defaultModel } from '../../state/models'
import type { AgentInfo } from '../../transport/agents'
import type { StudioState, ThreadChoice } from '../../transport/answers'
import { serverOf } from '../../transport/attached'
import { agentLabel } from '../../ui/format'
import { type Option, Select } from '../../ui/Select'

interface Props {
  choice?: ThreadChoice
  /** The choice's agent is not there. */
  absent?: Absence
  disabled: boolean
  onChoice: (choice: ThreadChoice) => void
}

/** Who answers, and with which model. */
export function Choices({ choice, absent, disabled, onChoice }: Props) {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  if (!state || !choice) return null
  const agentName = choice.agentName || state.settings.agentName
  const agent = state.agents.find((each) => each.name === agentName)
  return (
    <>
      <Select
        quiet
        label="Agent"
        className="max-w-40 @xl:max-w-72"
        disabled={disabled}
        value={agentName}
        options={agentOptions(state, agentName, absent)}
        onChange={(next) => onChoice({ agentName: next })}
      />
      {agent?.server || serverOf(agentName) ? null : state.overrideLabel ? (
        <span className="truncate px-2 text-small text-muted" title="Set when Callboard was started">
          {state.overrideLabel}
        </span>
      ) : (
        <Select
          quiet
          label="Model"
          className="max-w-64"
          disabled={disabled}
          value={chosen(choice)}
          options={modelOptions(state, choice, agent?.needsModel ?? true, agent)}
          onChange={(next) => onChoice(read(next))}
        />
      )}
    </>
  )
}

function chosen({ providerId = '', model = '' }: ThreadChoice): string {
  return providerId ? JSON.stringify([providerId, model]) : ''
}

function read(value: string): ThreadChoice {
  if (!value) return { providerId: '', model: '' }
  const parsed: unknown = JSON.parse(value)
  const [providerId, model] = Array.isArray(parsed) ? parsed : []
  return { providerId: String(providerId ?? ''), model: String(model ?? '') }
}

/** Every agent there is, and the one of a thread that is not. */
function agentOptions({ agents }: StudioState, chosen: string, absent: Absence | undefined): Option[] {
  const options = agents.map(({ name, description, missing }) => ({
    value: name,
    label: agentLabel(name),
    note: [description, missing.length > 0 && `Works without ${missing.join('; ')}`].filter(Boolean).join(' · '),
  }))
  if (agents.some(({ name }) => name === chosen)) return options
  const label = agentLabel(chosen)
  return [...options, { value: chosen, label: absent ? `${label} (${absent.word})` : label, note: absent?.text }]
}

/** Every model of every provider, and what stands for none of them. */
export function modelOptions(
  state: StudioState,
  choice: ThreadChoice,
  needsModel: boolean,
  agent?: AgentInfo,
): Option[] {
  const { providers } = state
  const fallback = defaultModel(state)
  const own = providers.find(({ id }) => id === agent?.providerId)
  const named = own ? agent?.model || own.model || own.name : fallback?.model || fallback?.provider.name
  const none: Option = needsModel
    ? {
        value: '',
        label: named ? `${own ? 'Its own' : 'Default'} (${named})` : 'No model',
        note: named ? undefined : 'Connect one in Settings',
      }
    : { value: '', label: 'Built-in model', note: 'Scripted: needs no key and no network' }
  const options = providers.flatMap((provider) => {
    const models = new Set([provider.model, ...provider.models].filter(Boolean))
    return [...models].map((model) => ({
      value: JSON.stringify([provider.id, model]),
      label: model,
      note: provider.name,
    }))
  })
  const current = chosen(choice)
  if (current && !options.some((option) => option.value === current)) {
    const provider = providers.find((each) => each.id === choice.providerId)
    options.push({
      value: current,
      label: choice.model || provider?.model || provider?.name || 'A model that is gone',
      note: provider?.name ?? '',
    })
  }
  return [none, ...options]
}
