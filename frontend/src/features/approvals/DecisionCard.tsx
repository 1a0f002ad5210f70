import clsx from 'clsx'
import { type KeyboardEvent, type ReactNode, type Ref, Suspense, useImperativeHandle, useRef, useState } from 'react'
import { escapeInvisible } from '../../protocol/text'
import { useApp } from '../../state/app'
import { useNow } from '../../state/clock'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { elapsed } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { lazily } from '../../ui/lazily'
import { Blocks } from '../details/Blocks'
import { Reads } from '../details/Reads'
import type { Asked } from './asked'
import { DecisionButtons, type Form } from './DecisionButtons'
import { DenyForm } from './DenyForm'
import { useDeciding, useHeldBack } from './decide'
import { EditForm, mask } from './EditForm'
import { ExactArguments } from './ExactArguments'
import { ResultForm } from './ResultForm'
import { Sentinel } from './Sentinel'
import { Why } from './Why'

const RuleDialog = lazily(async () => (await import('../rules/RuleDialog')).default)

/** What the decision keys do on a card. */
export interface CardActions {
  approve(): void
  edit(): void
  deny(): void
}

interface Props {
  asked: Asked
  /** In its row, above the composer, or in the list of all that waits. */
  place: 'row' | 'dock' | 'inbox'
  actions?: Ref<CardActions>
}

/** A call that waits for a person: exactly what will run, and the decision. */
export function DecisionCard({ asked, place, actions }: Props) {
  const { guard } = useApp()
  const deciding = useDeciding(asked)
  const { unseen, resting } = useHeldBack(asked)
  const [form, setForm] = useState<Form>('none')
  const { approval, approvalId } = asked
  const { busy, error, disabledBecause, expired } = deciding
  const unknown = approval.kind === 'unknown'
  const open = approvalId !== undefined && disabledBecause === undefined && !busy
  const approve = () => {
    if (open && !expired && !unseen && !resting) void deciding.decide({ approved: true })
  }
  const edit = () => {
    if (open && !expired && !unknown) setForm('edit')
  }
  const deny = () => {
    if (!open) return
    if (expired) void deciding.decide({ approved: false })
    else setForm('deny')
  }
  useImperativeHandle(actions, () => ({ approve, edit, deny }))
  const card = useRef<HTMLDivElement>(null)
  const back = () => {
    setForm('none')
    const row = card.current?.closest<HTMLElement>('[role="article"]') ?? card.current
    row?.focus({ preventScroll: true })
  }
  const taking = { busy, error, disabledBecause, onCancel: back }
  const label = escapeInvisible(asked.label)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={`${place === 'dock' ? 'Waiting' : 'Approval'}: ${label}`}
      data-approval-id={approvalId}
      className={clsx(
        'border border-wait bg-surface',
        place === 'dock' ? 'flex min-h-0 flex-col rounded-b-block' : 'rounded-block',
      )}
    >
      <Scrolling when={place === 'dock'}>
        <div
          className={clsx(
            'flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 text-small text-muted',
            place === 'dock' ? 'pt-2' : 'pt-3',
          )}
        >
          <Why asked={asked} brief={place === 'dock'} />
          {approval.sideEffects.map((effect) => (
            <span key={effect} className="rounded-control border border-border px-2 text-faint">
              {effect}
            </span>
          ))}
          {approval.expiresAt !== undefined && <Expiry at={approval.expiresAt} />}
        </div>
        {approval.detailsText && (
          <div className="px-3 pt-3">
            <Keep name={place === 'dock' ? 'dock' : 'preview'}>
              <Blocks detailsText={approval.detailsText} />
            </Keep>
          </div>
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: a group, no landmark, for several cards stand on a page */}
        <section
          role="group"
          aria-label="Arguments"
          tabIndex={place === 'dock' ? undefined : 0}
          onKeyDown={keepScrollKeys}
          className={clsx(place !== 'dock' && 'overflow-y-auto', heights[place])}
        >
          {approval.masked && (
            <p className="px-3 pt-3 text-small text-wait">
              A secret is masked here as <code>{mask}</code>. The call runs with the secret.
            </p>
          )}
          {approval.hidden ? (
            <p className="px-3 py-3 text-small text-wait">The arguments are hidden in this view.</p>
          ) : (
            <Reads toolName={approval.toolName} agentName={asked.agentName}>
              <ExactArguments text={approval.argumentsText} />
            </Reads>
          )}
          <Sentinel key={approvalId} onSeen={() => approvalId !== undefined && guard.seen(approvalId, Date.now())} />
        </section>
      </Scrolling>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only keeps keys meant for a form from its row */}
      <div
        data-form={form === 'none' ? undefined : form}
        className={clsx(
          'border-t border-border px-3 py-3',
          place === 'dock' && (form === 'none' ? 'shrink-0' : 'min-h-0 overflow-y-auto'),
        )}
        onKeyDown={form === 'none' ? undefined : (event) => keepFormKeys(event, back)}
      >
        {form === 'none' && (
          <DecisionButtons
            asked={asked}
            deciding={deciding}
            unseen={unseen}
            resting={resting}
            onApprove={approve}
            onDeny={deny}
            onForm={setForm}
          />
        )}
        {form === 'deny' && (
          <DenyForm
            {...taking}
            onSubmit={(reason) => void deciding.decide({ approved: false, ...(reason && { reason }) })}
          />
        )}
        {form === 'edit' && (
          <EditForm
            {...taking}
            toolName={approval.toolName}
            agentName={asked.agentName}
            initial={approval.argumentsText}
            masked={approval.masked}
            onSubmit={(text, changed) =>
              void deciding.decide({ approved: true, ...(changed && { argumentsText: text }) })
            }
          />
        )}
        {form === 'result' && (
          <ResultForm {...taking} onSubmit={(text) => void deciding.decide({ approved: true, resultText: text })} />
        )}
      </div>
      {form === 'rule' && (
        <ErrorBoundary what="The rule">
          <Suspense fallback={null}>
            <RuleDialog
              asked={asked}
              onClose={back}
              onSaved={() => {
                back()
                void deciding.decide({ approved: true })
              }}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}

const scrollKeys = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ']

/** Inside of the arguments, the keys that scroll do that and do not go to another row. */
function keepScrollKeys(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: box, target, key } = event
  if (target === box && box.scrollHeight > box.clientHeight && scrollKeys.includes(key)) event.stopPropagation()
}

/** What is typed in a form does not act on its row; Escape leaves the form. */
function keepFormKeys(event: KeyboardEvent<HTMLElement>, leave: () => void): void {
  const { currentTarget, target, key } = event
  // A list that a form opens stands elsewhere in the page, and has its own keys.
  if (event.ctrlKey || event.metaKey || !(target instanceof Node) || !currentTarget.contains(target)) return
  event.stopPropagation()
  if (key === 'Escape' && !event.defaultPrevented) leave()
}

const heights = { row: 'max-h-96', dock: '', inbox: 'max-h-[min(320px,40dvh)]' }

/** What is asked: above the composer, where there is little room, all of it scrolls as one. */
function Scrolling({ when, children }: { when: boolean; children: ReactNode }) {
  if (!when) return children
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section aria-label="What is asked" tabIndex={0} className="min-h-0 overflow-y-auto">
      {children}
    </section>
  )
}

function Expiry({ at }: { at: number }) {
  const now = useNow(true)
  return <span className="tnum text-wait">{at > now ? `expires in ${elapsed(at - now)}` : 'expired'}</span>
}
