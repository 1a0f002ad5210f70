import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import type { AgentPreview } from '../../transport/agents'
import { Button } from '../../ui/Button'
import { InFooter } from '../../ui/Dialog'
import { DialogForm, type FormFault } from '../../ui/DialogForm'
import { TextField } from '../../ui/Field'
import { counted } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { toast } from '../../ui/toasts'
import { agentDraftOf, limits } from './agentDraft'
import { pickAgentFile } from './agentFile'
import { formFault } from './formFault'

interface Props {
  file: string
  onDone: () => void
}

/** What an import of an agent's file will do, what it lacks here, and under which name. */
export function AgentImport({ file, onDone }: Props) {
  const app = useApp()
  const [name, setName] = useState('')
  const [preview, setPreview] = useState<AgentPreview>()
  const [fault, setFault] = useState<FormFault>()
  const [busy, setBusy] = useState(false)
  const written = name.trim()
  useEffect(() => {
    let left = false
    app.api.previewAgent(file, written).then(
      (answer) => {
        if (left) return
        setPreview(answer)
        setFault(undefined)
        setName((before) => before || (answer.taken ? answer.free : answer.agent.name))
      },
      (cause: unknown) => !left && setFault(formFault(cause, ['name'])),
    )
    return () => {
      left = true
    }
  }, [app, file, written])
  const bring = async (replace: boolean) => {
    setBusy(true)
    setFault(undefined)
    try {
      const made = await app.api.importAgent(file, written, replace)
      await app.studio.refresh()
      toast(`${made.name} is there`)
      onDone()
    } catch (cause) {
      setFault(formFault(cause, ['name']))
      setBusy(false)
    }
  }
  const submit = () => {
    if (preview && !preview.taken) void bring(false)
  }
  if (!preview) {
    return fault ? (
      <>
        <Notice tone="err" role="alert">
          {fault.text}
        </Notice>
        <InFooter>
          <Button tone="ghost" onClick={onDone}>
            Close
          </Button>
          <Button autoFocus onClick={() => pickAgentFile(app)}>
            Choose another file…
          </Button>
        </InFooter>
      </>
    ) : (
      <p className="text-small text-muted">Reading the file…</p>
    )
  }
  const { agent, taken, builtIn, missing } = preview
  const { limits: allowed } = agentDraftOf(agent)
  const limited = limits.filter(({ name }) => allowed[name])
  const asked = Object.entries(agent.approvals)
  return (
    <DialogForm
      fault={fault}
      onSubmit={submit}
      buttons={(form) => (
        <>
          <Button tone="ghost" onClick={onDone}>
            Cancel
          </Button>
          {taken && !builtIn && (
            <Button tone="danger" busy={busy} onClick={() => void bring(true)}>
              Replace {written}
            </Button>
          )}
          <Button type="submit" form={form} tone="primary" busy={busy} disabled={taken || !written}>
            Import
          </Button>
        </>
      )}
    >
      <TextField
        label="Name"
        error={
          taken
            ? builtIn
              ? `${written} is built in: choose another name.`
              : `There is an agent ${written} already: choose another name, or replace it.`
            : fault?.field && fault.text
        }
        autoFocus
        value={name}
        maxLength={120}
        onChange={(event) => setName(event.target.value)}
      />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small [overflow-wrap:anywhere]">
        <Line name="What it is for">{agent.description || 'not said'}</Line>
        <Line name="Instructions">{agent.instructions ? agent.instructions.slice(0, 600) : 'none'}</Line>
        <Line name="Model">{preview.model}</Line>
        <Line name="Tools">{agent.allTools ? 'all there are' : agent.tools.join(', ') || 'none'}</Line>
        {agent.agentTools.length > 0 && <Line name="Agents it asks">{agent.agentTools.join(', ')}</Line>}
        {agent.handoffs.length > 0 && <Line name="Agents it hands over to">{agent.handoffs.join(', ')}</Line>}
        {limited.length > 0 && (
          <Line name="Limits">{limited.map(({ label, name }) => `${label}: ${allowed[name]}`).join('\n')}</Line>
        )}
        {asked.length > 0 && (
          <Line name="Calls">
            {asked.map(([tool, how]) => (
              <span key={tool} className={how === 'never' ? 'block text-wait' : 'block'}>
                {tool}: {how === 'never' ? 'never asks you' : 'always asks you'}
              </span>
            ))}
          </Line>
        )}
      </dl>
      {missing.length > 0 && (
        <Notice tone="wait">
          {counted(missing.length, 'thing')} it names {missing.length === 1 ? 'is' : 'are'} not there, and it works
          without: {missing.join('; ')}.
        </Notice>
      )}
    </DialogForm>
  )
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 whitespace-pre-wrap">{children}</dd>
    </>
  )
}
