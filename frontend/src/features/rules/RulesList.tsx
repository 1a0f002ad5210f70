import Trash from 'lucide/dist/esm/icons/trash.mjs'
import { useCallback, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/api'
import type { Rule } from '../../transport/rules'
import { Button, IconButton } from '../../ui/Button'
import { counted, moment } from '../../ui/format'
import { Notice } from '../../ui/Notice'
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
    <section className="flex flex-col gap-3" aria-label="Rules">
      <h3 className="font-semibold">Rules</h3>
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
    </section>
  )
}

interface ItemProps {
  rule: Rule
  onEnable: (enabled: boolean) => Promise<void>
  onDelete: () => Promise<void>
}

function RuleItem({ rule, onEnable, onDelete }: ItemProps) {
  const [asking, setAsking] = useState(false)
  const { name, text, uses, lastUsedAt, expiresAt, enabled } = rule
  const over = expiresAt !== undefined && expiresAt <= Date.now()
  return (
    <li className="flex flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" title={name}>
          <Verbatim text={name} />
        </span>
        <label className="flex items-center gap-1.5 text-small text-muted">
          <input
            type="checkbox"
            aria-label={`${name}: on`}
            className="h-4 w-4 accent-accent"
            checked={enabled}
            onChange={(event) => void onEnable(event.target.checked)}
          />
          {enabled ? 'on' : 'off'}
        </label>
        <IconButton icon={Trash} size={14} label={`Delete ${name}`} onClick={() => setAsking(true)} />
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
      {asking && (
        <div className="flex items-center gap-2 text-small">
          <span className="flex-1">Delete this rule? Its calls will wait for you again.</span>
          <Button small tone="danger" autoFocus onClick={() => void onDelete()}>
            Delete
          </Button>
          <Button small tone="ghost" onClick={() => setAsking(false)}>
            Keep
          </Button>
        </div>
      )}
    </li>
  )
}
