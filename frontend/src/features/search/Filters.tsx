import { useId } from 'react'
import { kinds, states } from '../../transport/search'
import { Button } from '../../ui/Button'
import { TextInput } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { statusOfState } from '../call/status'
import { isNarrowed, otherLabel, type Query, type Time, times } from './query'
import { kindWords } from './words'

interface Props {
  query: Query
  tools: readonly string[]
  labels: Readonly<Record<string, string>>
  agents: readonly string[]
  onChange: (part: Partial<Query>) => void
  onClear: () => void
}

const timeWords: Record<Time, string> = {
  '': 'Any time',
  '1': 'Last 24 hours',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  range: 'Between two days',
}

/** What narrows a search: by what the text is, and the tool, state, agent and time it belongs to. */
export function Filters({ query, tools, labels, agents, onChange, onClear }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label="Kind of text"
        value={query.kind}
        options={[{ value: '', label: 'Any text' }, ...kinds.map((value) => ({ value, label: kindWords[value] }))]}
        onChange={(kind) => onChange({ kind: kinds.find((each) => each === kind) ?? '' })}
      />
      <Select
        label="Tool"
        value={query.tool}
        options={named('Any tool', tools, query.tool).map((each) => ({
          ...each,
          note: otherLabel(each.value, labels),
        }))}
        onChange={(tool) => onChange({ tool })}
        className="max-w-52"
      />
      <Select
        label="State of the call"
        value={query.state}
        options={[
          { value: '', label: 'Any state' },
          ...states.map((value) => ({ value, label: statusOfState(value).word })),
        ]}
        onChange={(state) => onChange({ state: states.find((each) => each === state) ?? '' })}
      />
      <Select
        label="Agent"
        value={query.agent}
        options={named('Any agent', agents, query.agent)}
        onChange={(agent) => onChange({ agent })}
        className="max-w-52"
      />
      <Select
        label="Time"
        value={query.time}
        options={times.map((value) => ({ value, label: timeWords[value] }))}
        onChange={(time) => onChange({ time: times.find((each) => each === time) ?? '', from: '', to: '' })}
      />
      {query.time === 'range' && (
        <>
          <Day label="From" value={query.from} onChange={(from) => onChange({ from })} />
          <Day label="To" value={query.to} onChange={(to) => onChange({ to })} />
        </>
      )}
      {isNarrowed(query) && (
        <Button small tone="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  const id = useId()
  return (
    <span className="flex items-center gap-1.5">
      <label htmlFor={id} className="text-small text-muted">
        {label}
      </label>
      <TextInput
        id={id}
        type="date"
        max="9999-12-31"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-36"
      />
    </span>
  )
}

/** The names there are, and the one that is chosen though there is none of it. */
function named(any: string, names: readonly string[], chosen: string) {
  const all = chosen && !names.includes(chosen) ? [...names, chosen] : names
  return [{ value: '', label: any }, ...all.map((name) => ({ value: name, label: name }))]
}
