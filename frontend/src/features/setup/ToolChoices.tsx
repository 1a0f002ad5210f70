import { type KeyboardEvent, useRef, useState } from 'react'
import type { ToolAsks } from '../../transport/agents'
import { Select } from '../../ui/Select'
import { isAsks, type ToolGroup } from './agentDraft'

interface Props {
  groups: ToolGroup[]
  /** Every tool is the agent's: there is nothing to check. */
  all: boolean
  chosen: readonly string[]
  approvals: Record<string, ToolAsks>
  onChoose: (chosen: string[]) => void
  onApprovals: (approvals: Record<string, ToolAsks>) => void
}

/** The tools of an agent, and whose calls wait for a person. Where tools are checked, one row takes the Tab key and the arrows go to the others. */
export function ToolChoices({ groups, all, chosen, approvals, onChoose, onApprovals }: Props) {
  const rows = groups.flatMap((group) => group.tools.map(({ name }) => name))
  const [active, setActive] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const current = rows.includes(active) ? active : rows[0]
  const move = (event: KeyboardEvent, from: string) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const to = rows.indexOf(from) + by
    if (by === 0 || !rows[to]) return
    event.preventDefault()
    list.current?.querySelectorAll<HTMLElement>('input[type=checkbox]')[to]?.focus()
  }
  const check = (name: string, on: boolean) => onChoose(on ? [...chosen, name] : chosen.filter((each) => each !== name))
  const ask = (name: string, how: string) => {
    const { [name]: _, ...rest } = approvals
    onApprovals(isAsks(how) ? { ...rest, [name]: how } : rest)
  }
  return (
    <div ref={list} className="flex max-h-72 flex-col gap-2 overflow-y-auto rounded-block border border-border p-2">
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand in a column
        <div key={group.label} role="group" aria-label={group.label} className="flex flex-col gap-1">
          <p className="text-small text-faint">
            {group.label}
            {group.off && <span className="text-wait">: {group.off}</span>}
          </p>
          {group.tools.map(({ name, description }) => (
            <div key={name} className="flex items-center gap-2">
              <ToolName
                name={name}
                description={description}
                checked={all ? undefined : chosen.includes(name)}
                tabIndex={name === current ? 0 : -1}
                onFocus={() => setActive(name)}
                onCheck={(on) => check(name, on)}
                onKeyDown={(event) => move(event, name)}
              />
              <Select
                quiet
                label={`Calls of ${name}`}
                className="w-36"
                tabIndex={all || name === current ? 0 : -1}
                value={approvals[name] ?? ''}
                options={[
                  { value: '', label: 'As it declares', note: 'The tool says which of its calls wait for you' },
                  { value: 'always', label: 'Always ask', note: 'Every call waits for you' },
                  { value: 'never', label: 'Never ask', note: 'Warning: it then does as the model says, unasked' },
                ]}
                onChange={(how) => ask(name, how)}
              />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

interface NameProps {
  name: string
  description: string
  /** Absent: there is nothing to check. */
  checked?: boolean
  tabIndex: number
  onFocus: () => void
  onCheck: (on: boolean) => void
  onKeyDown: (event: KeyboardEvent) => void
}

function ToolName({ name, description, checked, tabIndex, onFocus, onCheck, onKeyDown }: NameProps) {
  const words = (
    <>
      <span className="shrink-0 font-mono text-code">{name}</span>
      <span className="min-w-0 truncate text-small text-faint">{description}</span>
    </>
  )
  const look = 'flex min-h-7 min-w-0 flex-1 items-center gap-2'
  if (checked === undefined) {
    return (
      <span className={look} title={description}>
        {words}
      </span>
    )
  }
  return (
    <label className={look} title={description}>
      <input
        type="checkbox"
        aria-label={name}
        className="h-4 w-4 shrink-0 accent-accent"
        tabIndex={tabIndex}
        onFocus={onFocus}
        checked={checked}
        onChange={(event) => onCheck(event.target.checked)}
        onKeyDown={onKeyDown}
      />
      {words}
    </label>
  )
}
