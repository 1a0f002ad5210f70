import type { FieldProps, RJSFSchema } from '@rjsf/utils'
import clsx from 'clsx'
import { type ReactNode, useEffect } from 'react'
import { visiblePieces } from '../../../protocol/text'
import { Select } from '../../../ui/Select'
import { Verbatim } from '../../../ui/Verbatim'
import { draftFault } from './draft'
import { notGiven } from './draftSchema'

type Kind = 's' | 'n' | 'j'

/** A single field of a form on drafts: a text, a number by its digits, one of some values, or any JSON. */
export function DraftField(props: FieldProps<unknown, RJSFSchema>) {
  const { schema, formData, onChange, fieldPathId, required, disabled, autofocus, name, rawErrors } = props
  const draft = typeof formData === 'string' ? formData : undefined
  const kind = kindOf(schema)
  const { path, $id: id } = fieldPathId
  const set = (next: string | undefined) => onChange(next, path)
  // Another branch was chosen: what was entered in the one before is taken over where it fits.
  const misplaced = draft !== undefined && !belongs(draft, schema, kind)
  useEffect(() => {
    if (misplaced) onChange(schema.enum ? undefined : `${kind}${draft.slice(1)}`, path)
  })
  if (schema.enum) {
    return (
      <Choice id={id} label={props.title ?? schema.title ?? name} {...{ schema, draft, set, required, disabled }} />
    )
  }
  const isNull = draft === 'jnull' && schema.format === 'nullable'
  const fault = draft === undefined ? undefined : draftFault(draft)
  const faulty = fault !== undefined || (rawErrors?.length ?? 0) > 0
  const value = isNull ? '' : (draft?.slice(1) ?? '')
  return (
    <>
      <div className="flex items-start gap-2">
        <textarea
          id={id}
          aria-describedby={`${id}-note`}
          aria-invalid={faulty || undefined}
          autoFocus={autofocus}
          disabled={disabled || isNull}
          rows={1}
          spellCheck={false}
          inputMode={kind === 'n' ? 'decimal' : undefined}
          placeholder={placeholder(schema, kind, draft, isNull)}
          value={value}
          onChange={(event) => set(kind + event.target.value)}
          className={clsx(
            'field-sizing-content max-h-64 min-h-7 w-full min-w-0 resize-y rounded-control border bg-bg px-2 py-[5px] break-spaces',
            'font-mono text-code text-text placeholder:text-faint disabled:opacity-50',
            faulty ? 'border-err' : 'border-faint',
          )}
        />
        {schema.format === 'nullable' && (
          <button
            type="button"
            aria-pressed={isNull}
            disabled={disabled}
            onClick={() => set(isNull ? kind : 'jnull')}
            className="h-7 shrink-0 rounded-control border border-border px-2 font-mono text-code text-muted hover:border-faint aria-pressed:border-accent aria-pressed:text-text"
          >
            null
          </button>
        )}
      </div>
      {fault && <Note tone="text-err">{fault}</Note>}
      {visiblePieces(value).some((piece) => piece.mark) && (
        <Note tone="text-wait">
          As it is:{' '}
          <code className="text-code text-text">
            <Verbatim text={value} />
          </code>
        </Note>
      )}
    </>
  )
}

function Note({ tone, children }: { tone: string; children: ReactNode }) {
  return <p className={clsx('mt-1 text-small break-spaces', tone)}>{children}</p>
}

function kindOf({ pattern }: RJSFSchema): Kind {
  if (pattern?.startsWith('^n')) return 'n'
  return pattern?.startsWith('^j') ? 'j' : 's'
}

function belongs(draft: string, schema: RJSFSchema, kind: Kind): boolean {
  if (schema.enum) return schema.enum.includes(draft)
  return draft.startsWith(kind) || (schema.format === 'nullable' && draft === 'jnull')
}

function placeholder({ examples }: RJSFSchema, kind: Kind, draft: string | undefined, isNull: boolean): string {
  if (isNull) return 'null'
  if (draft === 's') return 'empty text'
  return notGiven(examples, kind === 'j' ? 'JSON, not given' : 'not given')
}

interface ChoiceProps {
  id: string
  label: string
  schema: RJSFSchema
  draft: string | undefined
  set: (draft: string | undefined) => void
  required?: boolean
  disabled?: boolean
}

/** The values a schema lists. The first option is to give none. */
function Choice({ label, schema, draft, set, required, disabled }: ChoiceProps) {
  const choices = (schema.enum ?? []).filter((each) => typeof each === 'string')
  const options = choices.map((each) => ({ value: each, label: each.slice(1) || 'empty text' }))
  const none = { value: '', label: notGiven(schema.examples) }
  return (
    <Select
      label={label}
      className="min-w-40 font-mono"
      value={draft ?? ''}
      options={required && draft !== undefined ? options : [none, ...options]}
      disabled={disabled}
      onChange={(next) => set(next === '' ? undefined : next)}
    />
  )
}
