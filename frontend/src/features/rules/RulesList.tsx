import { useCallback, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { Rule } from '../../transport/rules'
import { useAskedDelete } from '../../ui/askedDelete'
import { Button } from '../../ui/Button'
import { counted, moment } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'

/** The rules that answer in the person's place: what each says, how often it did, and how to end it. */
export function RulesList() {
  const app = useApp()
  const [rules, setRules] = useState<Rule[]>()
  const [fault, setFault] = useState<string>()
  const read = useCallback(() => {
    app.api.rules().then(
      (all) => {
        setRules(all)
        setFault(undefined)
      },
      (cause: unknown) => setFault(messageOf(cause)),
    )
  }, [app])
  useEffect(read, [read])
  const act = async (what: Promise<unknown>) => {
    try {
      await what
    } catch (cause) {
      toast(messageOf(cause), 'err')
    }
    read()
  }
  return (
    <Section name="Rules">
      {fault && (
        <Notice
          tone="err"
          actions={
            <Button small onClick={read}>
              Try again
            </Button>
          }
        >
          {fault}
        </Notice>
      )}
      {rules?.length === 0 && (
        <p className="text-small text-muted">No rules. “Always allow…” on a call that waits makes one.</p>
      )}
      {rules && rules.length > 0 && (
        <ul className="flex flex-col gap-2">
          {rules.map((rule) => (
            <RuleItem
              key={rule.id}
              rule={rule}
              onEnable={(enabled) => act(app.api.changeRule(rule.id, { enabled }))}
              onDelete={() => act(app.api.deleteRule(rule.id))}
            />
          ))}
        </ul>
      )}
    </Section>
  )
}

interface ItemProps {
  rule: Rule
  onEnable: (enabled: boolean) => Promise<void>
  onDelete: () => Promise<void>
}

function RuleItem({ rule, onEnable, onDelete }: ItemProps) {
  const { name, text, uses, lastUsedAt, expiresAt, enabled } = rule
  const { button, asking } = useAskedDelete({
    name,
    question: 'Delete this rule? Its calls will wait for you again.',
    onDelete,
  })
  const over = expiresAt !== undefined && expiresAt <= Date.now()
  return (
    <li className="flex flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" title={name}>
          <Verbatim text={name} />
        </span>
        <Switch label={name} on={enabled} onChange={(on) => void onEnable(on)} />
        {button}
      </div>
      <p className="text-small text-muted [overflow-wrap:anywhere]">
        <Verbatim text={text} />
      </p>
      <p className="tnum text-small text-faint">
        {[
          uses === 0 ? 'never used' : `used ${counted(uses, 'time')}`,
          lastUsedAt !== undefined && `last ${moment(lastUsedAt)}`,
          expiresAt === undefined ? 'does not expire' : `${over ? 'expired' : 'expires'} ${moment(expiresAt)}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {asking}
    </li>
  )
}
