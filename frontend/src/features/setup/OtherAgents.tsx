import type { AgentInfo } from '../../transport/agents'
import type { AgentDraft } from './agentDraft'

interface Props {
  agents: AgentInfo[]
  draft: AgentDraft
  onChange: (part: Partial<AgentDraft>) => void
}

/** Which agents this one may hand the conversation over to, and which it may ask as it calls a tool. */
export function OtherAgents({ agents, draft, onChange }: Props) {
  const named = [...draft.handoffs, ...draft.agentTools]
  const there = agents
    .filter(({ name, needsModel, server }) => needsModel && !server && name !== draft.name)
    .map(({ name }) => name)
  const names = [...new Set([...there, ...named])]
  if (names.length === 0) return null
  const without = (list: string[], name: string) => list.filter((each) => each !== name)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand in a column
    <div role="group" aria-label="Other agents" className="flex flex-col gap-1">
      <p className="text-small font-medium text-muted">Other agents</p>
      {names.map((name) => (
        <div key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 text-small">
          <span className="min-w-32 flex-1 truncate">
            {name}
            {!there.includes(name) && <span className="text-wait"> (deleted)</span>}
          </span>
          <Check
            label="hands over to it"
            name={`Hands over to ${name}`}
            on={draft.handoffs.includes(name)}
            onChange={(on) => onChange({ handoffs: [...without(draft.handoffs, name), ...(on ? [name] : [])] })}
          />
          <Check
            label="asks it as a tool"
            name={`Asks ${name} as a tool`}
            on={draft.agentTools.includes(name)}
            onChange={(on) => onChange({ agentTools: [...without(draft.agentTools, name), ...(on ? [name] : [])] })}
          />
        </div>
      ))}
    </div>
  )
}

interface CheckProps {
  label: string
  name: string
  on: boolean
  onChange: (on: boolean) => void
}

function Check({ label, name, on, onChange }: CheckProps) {
  return (
    <label className="flex min-h-6 items-center gap-1.5">
      <input
        type="checkbox"
        aria-label={name}
        className="h-4 w-4 accent-accent"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
