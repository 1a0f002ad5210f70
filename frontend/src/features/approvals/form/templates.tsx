import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldErrorProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  RJSFSchema,
  WidgetProps,
} from '@rjsf/utils'
import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs'
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { useEffect } from 'react'
import { Button, IconButton } from '../../../ui/Button'
import { Select } from '../../../ui/Select'
import { Verbatim } from '../../../ui/Verbatim'
import { branchOf, notGiven } from './draftSchema'

/** What the fields of a form know besides their schema. */
export interface FormContext {
  /** Hears that a branch of a union is shown at a path, and by what it gives back that it no longer is. */
  onChosen: (path: string[], branch: unknown) => () => void
}

/** A field with its name, what it is for, and what is wrong with it. */
function FieldTemplate(props: FieldTemplateProps<unknown, RJSFSchema, FormContext>) {
  useChosen(props)
  const { id, label, children, rawDescription, errors, required, displayLabel, formData, onChange, fieldPathId } = props
  const last = fieldPathId.path.at(-1)
  const canLeave = !required && typeof last === 'string' && formData !== undefined && !props.disabled
  const leave = () => onChange(undefined, fieldPathId.path)
  if (!displayLabel) {
    return (
      <div className="flex flex-col items-start gap-1">
        <div className="w-full min-w-0">{children}</div>
        {formData === undefined && props.schema.examples && (
          <p className="font-mono text-code text-faint [overflow-wrap:anywhere]">
            <Verbatim text={notGiven(props.schema.examples)} />
          </p>
        )}
        {errors}
        {canLeave && (
          <Button small tone="ghost" onClick={leave}>
            Leave out {label}
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {typeof last === 'number' ? (
        <label htmlFor={id} className="sr-only">
          Item {last + 1}
        </label>
      ) : (
        <div className="flex min-h-6 items-center gap-2">
          <label htmlFor={id} className="min-w-0 font-mono text-code text-muted [overflow-wrap:anywhere]">
            <Verbatim text={label} />
          </label>
          <span className="text-small text-faint">{required ? 'needed' : 'optional'}</span>
          {canLeave && <IconButton icon={X} size={12} label={`Leave out ${label}`} onClick={leave} />}
        </div>
      )}
      {children}
      <div id={`${id}-note`} className="empty:hidden">
        {errors}
        {rawDescription && (
          <p className="text-small text-faint [overflow-wrap:anywhere]">
            <Verbatim text={rawDescription} />
          </p>
        )}
      </div>
    </div>
  )
}

function useChosen({ schema, fieldPathId, registry }: FieldTemplateProps<unknown, RJSFSchema, FormContext>) {
  const branch: unknown = schema[branchOf]
  const place = JSON.stringify(fieldPathId.path.map(String))
  const { onChosen } = registry.formContext
  useEffect(() => (branch === undefined ? undefined : onChosen(JSON.parse(place), branch)), [branch, place, onChosen])
}

function FieldErrorTemplate({ errors = [] }: FieldErrorProps<unknown, RJSFSchema>) {
  return errors.map((error, index) => (
    <p key={index} className="text-small text-err [overflow-wrap:anywhere]">
      {error}
    </p>
  ))
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps<unknown, RJSFSchema>) {
  const { properties, title, description, required, schema, fieldPathId } = props
  const content = <div className="flex flex-col gap-3">{properties.map((property) => property.content)}</div>
  if (fieldPathId.path.length === 0) return content
  return (
    <fieldset className="rounded-block border border-border px-3 pt-1 pb-3">
      <Legend title={title} description={description} required={required} schema={schema} path={fieldPathId.path} />
      {content}
    </fieldset>
  )
}

interface LegendProps
  extends Pick<ObjectFieldTemplateProps<unknown, RJSFSchema>, 'title' | 'description' | 'required'> {
  schema: RJSFSchema
  path: (string | number)[]
}

/** What an object or a list is called, and whether it is needed: of an item of a list or a branch of a union that is no question. */
function Legend({ title, description, required, schema, path }: LegendProps) {
  return (
    <>
      {title && (
        <legend className="px-1 font-mono text-code text-muted">
          <Verbatim text={title} />
          {typeof path.at(-1) === 'string' && schema[branchOf] === undefined && (
            <span className="font-sans text-small text-faint"> {required ? 'needed' : 'optional'}</span>
          )}
        </legend>
      )}
      {description && <p className="mb-2 text-small text-faint [overflow-wrap:anywhere]">{description}</p>}
    </>
  )
}

function ArrayFieldTemplate(props: ArrayFieldTemplateProps<unknown, RJSFSchema>) {
  const { items, title, schema, required, fieldPathId, onAddClick, disabled } = props
  return (
    <fieldset className="rounded-block border border-border px-3 pt-1 pb-3">
      <Legend
        title={title}
        description={schema.description}
        required={required}
        schema={schema}
        path={fieldPathId.path}
      />
      <div className="flex flex-col items-start gap-2">
        {items}
        <Button small icon={Plus} disabled={disabled} onClick={() => onAddClick()}>
          Add to {title || 'the list'}
        </Button>
      </div>
    </fieldset>
  )
}

function ArrayFieldItemTemplate(props: ArrayFieldItemTemplateProps<unknown, RJSFSchema>) {
  const { children, index, totalItems, disabled, buttonsProps } = props
  const { onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps
  const n = index + 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div role="group" aria-label={`${n} of ${totalItems}`} className="flex w-full items-start gap-1">
      <span className="tnum w-6 shrink-0 pt-1 text-small text-faint">{n}</span>
      <div className="min-w-0 flex-1">{children}</div>
      <IconButton icon={ArrowUp} label={`Move ${n} up`} disabled={disabled || index === 0} onClick={onMoveUpItem} />
      <IconButton
        icon={ArrowDown}
        label={`Move ${n} down`}
        disabled={disabled || n === totalItems}
        onClick={onMoveDownItem}
      />
      <IconButton icon={X} label={`Remove ${n}`} disabled={disabled} onClick={onRemoveItem} />
    </div>
  )
}

/** One of several kinds of value: which, and its fields. */
function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps<unknown, RJSFSchema>) {
  return (
    <div className="flex flex-col items-start gap-2">
      {selector}
      <div className="w-full min-w-0">{optionSchemaField}</div>
    </div>
  )
}

/** Chooses between branches; their numbers are its values. */
export function BranchSelect({ value, options, label, disabled, onChange }: WidgetProps<unknown, RJSFSchema>) {
  return (
    <Select
      label={`Kind of ${label}`}
      value={String(value ?? '')}
      options={(options.enumOptions ?? []).map((each) => ({ value: String(each.value), label: each.label }))}
      disabled={disabled}
      onChange={onChange}
    />
  )
}

export const templates = {
  FieldTemplate,
  FieldErrorTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
}
