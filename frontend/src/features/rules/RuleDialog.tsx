import { useId, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { RuleDraft } from '../../transport/rules'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Field, TextField } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import type { Asked } from '../approvals/asked'
import { ArgumentChoice } from './ArgumentChoice'
import { choicesOf, conditionsOf, endOf, spans } from './choices'
import { Preview, RuleText, usePreview } from './Preview'

interface Props {
  asked: Asked
  onClose: () => void
  /** The rule stands; the call it was made from is to be approved. */
  onSaved: () => void
}

/** Makes a rule from a call that waits: which arguments matter, what it would have allowed, and for how long. */
export default function RuleDialog({ asked, onClose, onSaved }: Props) {
  const app = useApp()
  const { approval, agentName, label } = asked
  const [choices, setChoices] = useState(() => choicesOf(approval.argumentsText))
  const [everyAgent, setEveryAgent] = useState(agentName === '')
  const [span, setSpan] = useState('week')
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const heading = useId()
  const [opened] = useState(Date.now)
  const expiresAt = endOf(span, opened)
  const draft: RuleDraft = {
    toolName: approval.toolName,
    ...(!everyAgent && { agentName }),
    conditions: conditionsOf(choices),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(name.trim() && { name: name.trim() }),
  }
  const preview = usePreview(draft)
  const save = async () => {
    setBusy(true)
    setFault(undefined)
    try {
      const rule = await app.api.createRule(draft)
      toast(`Rule “${rule.name}” saved`)
      onSaved()
    } catch (cause) {
      setFault(messageOf(cause))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Always allow ${label}`}
      footer={
        <>
          <RuleText preview={preview} />
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" busy={busy} disabled={preview.state !== 'known'} onClick={() => void save()}>
            Save and approve
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-small text-muted">
          A rule answers in your place: a call of <code className="text-text">{approval.toolName}</code> that meets it
          runs at once, and says by which rule.
        </p>
        {choices.length > 0 && (
          <section aria-labelledby={heading} className="flex flex-col gap-2">
            <h3 id={heading} className="text-small font-medium text-muted">
              Arguments
            </h3>
            {choices.map((choice, at) => (
              <ArgumentChoice
                key={choice.path}
                choice={choice}
                onChange={(next) => setChoices(choices.with(at, next))}
              />
            ))}
          </section>
        )}
        <div className="grid grid-cols-2 gap-4">
          <Field label="For which agents">
            {() => (
              <Select
                label="For which agents"
                value={everyAgent ? 'every' : 'one'}
                options={[
                  ...(agentName ? [{ value: 'one', label: `Only ${agentName}` }] : []),
                  { value: 'every', label: 'Every agent' },
                ]}
                onChange={(value) => setEveryAgent(value === 'every')}
              />
            )}
          </Field>
          <Field label="How long">
            {() => (
              <Select
                label="How long"
                value={span}
                options={spans.map(({ value, label }) => ({ value, label }))}
                onChange={setSpan}
              />
            )}
          </Field>
        </div>
        <TextField
          label="Name"
          note="Shown on every call it allows."
          value={name}
          maxLength={80}
          placeholder="Made from the tool and its arguments"
          onChange={(event) => setName(event.target.value)}
        />
        <Preview preview={preview} toolName={approval.toolName} />
        {fault && (
          <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
            <Verbatim text={fault} />
          </p>
        )}
      </div>
    </Dialog>
  )
}
