import clsx from 'clsx'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { escapeInvisible } from '../../protocol/text'
import type { Call } from '../../protocol/transcript'
import { useNow } from '../../state/clock'
import { labelOf } from '../../state/rows'
import { Button } from '../../ui/Button'
import { elapsed } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { Arguments } from '../details/Arguments'
import { Blocks } from '../details/Blocks'
import { DenyForm } from './DenyForm'
import { type Deciding, useDeciding } from './decide'
import { EditForm } from './EditForm'

/** What the decision keys do on a card. */
export interface CardActions {
  approve(): void
  edit(): void
  deny(): void
}

interface Props {
  call: Call
  /** The card stands above the composer, not in its row. */
  docked?: boolean
  actions?: Ref<CardActions>
  /** The end of the arguments came on the screen. */
  onSeen?: () => void
}

type Form = 'none' | 'edit' | 'deny' | 'result'

/** A call that waits for a person: exactly what will run, and the decision. */
export function ApprovalCard({ call, docked, actions, onSeen }: Props) {
  const deciding = useDeciding(call)
  const [form, setForm] = useState<Form>('none')
  const unknown = call.approval?.kind === 'unknown'
  const approve = () => void deciding.decide({ approved: true })
  useImperativeHandle(actions, () => ({
    approve,
    edit: () => !unknown && setForm('edit'),
    deny: () => setForm('deny'),
  }))
  const label = escapeInvisible(labelOf(call))
  const { approval } = call
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div
      role="group"
      aria-label={`${docked ? 'Waiting' : 'Approval'}: ${label}`}
      data-approval-id={call.approvalId}
      className={clsx(
        'border border-wait bg-surface',
        docked ? 'flex min-h-0 flex-col rounded-b-block' : 'rounded-block',
      )}
    >
      <div className={clsx(docked && 'min-h-0 overflow-y-auto')}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pt-3 text-small text-muted">
          <span className="min-w-0 [overflow-wrap:anywhere]">{why(call)}</span>
          {approval?.sideEffects.map((effect) => (
            <span key={effect} className="rounded-control border border-border px-2 text-faint">
              {effect}
            </span>
          ))}
          {approval?.expiresAt !== undefined && <Expiry at={approval.expiresAt} />}
        </div>
        {approval?.detailsText && (
          <div className="px-3 pt-3">
            <Keep name={docked ? 'dock' : 'preview'}>
              <Blocks detailsText={approval.detailsText} />
            </Keep>
          </div>
        )}
        <div className={clsx(!docked && 'max-h-96 overflow-y-auto')}>
          <Arguments text={approval?.argumentsText ?? call.argumentsText} />
          <Sentinel onSeen={onSeen} />
        </div>
      </div>
      <div className="shrink-0 border-t border-border px-3 py-3">
        {form === 'none' && <Buttons call={call} deciding={deciding} onApprove={approve} onForm={setForm} />}
        {form === 'deny' && (
          <DenyForm
            busy={deciding.busy}
            error={deciding.error}
            disabledBecause={deciding.disabledBecause}
            onCancel={() => setForm('none')}
            onSubmit={(reason) => void deciding.decide({ approved: false, ...(reason && { reason }) })}
          />
        )}
        {form === 'edit' && (
          <EditForm
            label="Arguments as JSON"
            initial={approval?.argumentsText ?? call.argumentsText}
            action="Approve edited"
            busy={deciding.busy}
            error={deciding.error}
            disabledBecause={deciding.disabledBecause}
            onCancel={() => setForm('none')}
            onSubmit={(text, changed) =>
              void deciding.decide({ approved: true, ...(changed && { argumentsText: text }) })
            }
          />
        )}
        {form === 'result' && (
          <EditForm
            label="Result as JSON"
            initial={'""'}
            action="Hand in this result"
            busy={deciding.busy}
            error={deciding.error}
            disabledBecause={deciding.disabledBecause}
            onCancel={() => setForm('none')}
            onSubmit={(text) => void deciding.decide({ approved: true, resultText: text })}
          />
        )}
      </div>
    </div>
  )
}

function why(call: Call) {
  if (call.approval?.kind === 'unknown') {
    return 'The app stopped while this call ran. Whether it did its work is not known.'
  }
  return <Verbatim text={call.approval?.description || 'This call needs your approval.'} />
}

interface ButtonsProps {
  call: Call
  deciding: Deciding
  onApprove: () => void
  onForm: (form: Form) => void
}

function Buttons({ call, deciding, onApprove, onForm }: ButtonsProps) {
  const { busy, error, disabledBecause } = deciding
  const disabled = disabledBecause !== undefined || !call.approvalId
  const unknown = call.approval?.kind === 'unknown'
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" shortcut="A" busy={busy} disabled={disabled} onClick={onApprove}>
          {unknown ? 'Run again' : 'Approve'}
        </Button>
        {unknown ? (
          <Button disabled={disabled || busy} onClick={() => onForm('result')}>
            Mark as done…
          </Button>
        ) : (
          <Button shortcut="E" disabled={disabled || busy} onClick={() => onForm('edit')}>
            Edit arguments
          </Button>
        )}
        <Button tone="danger" shortcut="D" disabled={disabled || busy} onClick={() => onForm('deny')}>
          {unknown ? 'Give up…' : 'Deny…'}
        </Button>
      </div>
      {(disabledBecause ?? error) && (
        <p role={error ? 'alert' : undefined} className="mt-2 text-small text-err [overflow-wrap:anywhere]">
          {disabledBecause ?? error}
        </p>
      )}
    </>
  )
}

function Expiry({ at }: { at: number }) {
  const now = useNow(true)
  return <span className="tnum text-wait">{at > now ? `expires in ${elapsed(at - now)}` : 'expired'}</span>
}

/** Stands at the end of the arguments and tells when it is seen. */
function Sentinel({ onSeen }: { onSeen?: () => void }) {
  const mark = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    if (!mark.current) return
    if (typeof IntersectionObserver === 'undefined') {
      seen.current?.()
      return
    }
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) seen.current?.()
    })
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={mark} className="h-px" />
}
