import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { AgentSpec } from '../../transport/agents'
import type { StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import type { ToolInfo } from '../../transport/rules'
import { Button } from '../../ui/Button'
import { DialogForm, type FormFault } from '../../ui/DialogForm'
import { Field, TextAreaField, TextField } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { toast } from '../../ui/toasts'
import { modelOptions } from '../thread/Choices'
import { type AgentDraft, agentDraftOf, agentOf, limits, toolGroups } from './agentDraft'
import { FieldFault, formFault } from './formFault'
import { OtherAgents } from './OtherAgents'
import { onto } from './onto'
import { ToolChoices } from './ToolChoices'

interface Props {
  /** The agent to change; absent for a new one. */
  name?: string
  /** The agent a new one begins as. */
  copy?: string
  onDone: () => void
}

interface Read {
  spec?: AgentSpec
  /** The tools of a folder. */
  files: string[]
  tools: ToolInfo[]
}

/** An agent of one's own: what it is told, speaks with, may call, and where it stops. */
export function AgentForm({ name, copy, onDone }: Props) {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const [read, setRead] = useState<Read>()
  const [fault, setFault] = useState<string>()
  const from = name ?? copy
  useEffect(() => {
    Promise.all([from ? app.api.agent(from) : undefined, app.api.agent('demo'), app.api.tools()]).then(
      ([spec, demo, tools]) => setRead({ spec, files: demo.tools, tools }),
      (cause: unknown) => setFault(messageOf(cause)),
    )
  }, [app, from])
  if (fault) return <Notice tone="err">{fault}</Notice>
  if (!read || !state) return <p className="text-small text-muted">Reading the agent…</p>
  return <Form state={state} read={read} change={name !== undefined} onDone={onDone} />
}

function beginOf({ agents }: StudioState, spec: AgentSpec | undefined, change: boolean): AgentDraft {
  const draft = agentDraftOf(spec)
  if (!spec || change) return draft
  let free = `${spec.name} copy`
  for (let n = 2; agents.some((agent) => agent.name === free); n++) free = `${spec.name} copy ${n}`
  return { ...draft, name: free }
}

const fields = ['name', 'instructions', ...limits.map(({ name }) => name)]

interface FormProps {
  state: StudioState
  read: Read
  change: boolean
  onDone: () => void
}

function Form({ state, read, change, onDone }: FormProps) {
  const app = useApp()
  const [draft, setDraft] = useState(() => beginOf(state, read.spec, change))
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<FormFault>()
  const set = (part: Partial<AgentDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setFault(undefined)
  }
  const onStored = async (edited: AgentSpec, opened: AgentSpec) => {
    const before = agentOf(agentDraftOf(opened))
    return 'fault' in before ? edited : onto(await app.api.agent(opened.name), before.spec, edited)
  }
  const submit = async () => {
    setBusy(true)
    setFault(undefined)
    try {
      if (!draft.name.trim()) throw new FieldFault('name', 'It needs a name.')
      const made = agentOf(draft)
      if ('fault' in made) throw new FieldFault(made.limit, made.fault)
      await app.api.saveAgent(change && read.spec ? await onStored(made.spec, read.spec) : made.spec, change)
      await app.studio.refresh()
      if (!change) app.newChoice.update((choice) => ({ ...choice, agentName: made.spec.name }))
      toast(change ? `${made.spec.name} is changed: new runs go by it` : `${made.spec.name} is there`)
      onDone()
    } catch (cause) {
      setFault(formFault(cause, fields))
      setBusy(false)
    }
  }
  const wrong = (field: string) => (fault?.field === field ? fault.text : undefined)
  const model = draft.backend ? JSON.stringify([draft.backend, draft.model]) : ''
  const [threads, ...models] = modelOptions(state, { providerId: draft.backend, model: draft.model }, true)
  const groups = toolGroups(state, read.files, read.tools, [...draft.tools, ...Object.keys(draft.approvals)])
  return (
    <DialogForm
      fault={fault}
      onSubmit={() => void submit()}
      buttons={(form) => (
        <>
          <Button tone="ghost" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" form={form} tone="primary" busy={busy}>
            {change ? 'Save' : 'Make the agent'}
          </Button>
        </>
      )}
    >
      {!change && (
        <TextField
          label="Name"
          note="Threads know the agent by it, so it stays."
          error={wrong('name')}
          value={draft.name}
          maxLength={120}
          autoFocus
          onChange={(event) => set({ name: event.target.value })}
        />
      )}
      <TextField
        label="Description"
        note="What it is for. Other agents read it before they hand over."
        value={draft.description}
        autoFocus={change}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextAreaField
        label="Instructions"
        note="The model reads them before everything else."
        error={wrong('instructions')}
        rows={4}
        className="max-h-72"
        value={draft.instructions}
        onChange={(event) => set({ instructions: event.target.value })}
      />
      <Field label="Model" note="Another one can be chosen in each thread.">
        {(id, note) => (
          <Select
            id={id}
            aria-describedby={note}
            label="Model"
            className="w-full"
            value={model}
            options={[{ ...threads, value: '', label: `The thread’s: ${threads?.label ?? 'default'}` }, ...models]}
            onChange={(value) => {
              const parsed: unknown = value ? JSON.parse(value) : []
              const [backend = '', modelName = ''] = Array.isArray(parsed) ? parsed.map(String) : []
              set({ backend, model: modelName })
            }}
          />
        )}
      </Field>
      <Field label="Tools">
        {(id) => (
          <Select
            id={id}
            label="Tools"
            className="w-full"
            value={draft.allTools ? 'all' : 'list'}
            options={[
              { value: 'all', label: 'All there are', note: 'Files, the tool sets that are on, the MCP servers' },
              { value: 'list', label: 'Those I choose' },
            ]}
            onChange={(value) => set({ allTools: value === 'all' })}
          />
        )}
      </Field>
      <ToolChoices
        groups={groups}
        all={draft.allTools}
        chosen={draft.tools}
        approvals={draft.approvals}
        onChoose={(tools) => set({ tools })}
        onApprovals={(approvals) => set({ approvals })}
      />
      <OtherAgents agents={state.agents} draft={draft} onChange={set} />
      <Limits draft={draft} wrong={wrong} onChange={set} />
    </DialogForm>
  )
}

interface LimitsProps {
  draft: AgentDraft
  wrong: (field: string) => string | undefined
  onChange: (part: Partial<AgentDraft>) => void
}

function Limits({ draft, wrong, onChange }: LimitsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand in a column
    <div role="group" aria-label="Limits" className="flex flex-col gap-2">
      <p className="text-small font-medium text-muted">Limits</p>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {limits.map(({ name, label, fallback, none }) => (
          <TextField
            key={name}
            label={label}
            error={wrong(name)}
            inputMode="decimal"
            className="tabular-nums"
            placeholder={none ? `${fallback}; ${none} for the whole` : fallback}
            value={draft.limits[name]}
            onChange={(event) => onChange({ limits: { ...draft.limits, [name]: event.target.value } })}
          />
        ))}
      </div>
      <label className="flex min-h-7 items-center gap-2 text-small">
        <input
          type="checkbox"
          className="h-4 w-4 accent-accent"
          checked={draft.parallel}
          onChange={(event) => onChange({ parallel: event.target.checked })}
        />
        The calls of a turn run side by side
      </label>
    </div>
  )
}
