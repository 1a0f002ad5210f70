import clsx from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps {
  label: string
  /** What the field is for, or what is wrong with it. */
  note?: ReactNode
  error?: string
  /** The control takes the id, what describes it, and whether it is at fault. */
  children: (id: string, describedBy: string | undefined, invalid: true | undefined) => ReactNode
}

/** A label, a control and a note under it. */
export function Field({ label, note, error, children }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-small font-medium text-muted">
        {label}
      </label>
      {children(id, note || error ? noteId : undefined, error ? true : undefined)}
      {(error || note) && (
        <p id={noteId} className={clsx('text-small', error ? 'text-err' : 'text-faint')}>
          {error || note}
        </p>
      )}
    </div>
  )
}

const ground =
  'w-full min-w-0 rounded-control border border-faint bg-bg px-2 text-small text-text placeholder:text-faint disabled:opacity-50 aria-invalid:border-err'

/** A line to write on. */
export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input type="text" autoComplete="off" spellCheck={false} className={clsx('h-7', ground, className)} {...rest} />
  )
}

/** Lines to write on, as many as there are, and no fewer than rows. */
export function TextArea({ className, rows = 1, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={rows}
      spellCheck={false}
      style={{ minHeight: `calc(${rows}rem + 12px)` }} // which are otherwise forgotten where it is as high as its text
      className={clsx('field-sizing-content max-h-48 resize-y py-[5px] break-spaces', ground, className)}
      {...rest}
    />
  )
}

type Labelled<P> = P & Omit<FieldProps, 'children'>

/** A line to write on, with its label and its note. */
export function TextField({ label, note, error, ...input }: Labelled<ComponentProps<'input'>>) {
  return (
    <Field label={label} note={note} error={error}>
      {(id, describedBy, invalid) => (
        <TextInput id={id} aria-describedby={describedBy} aria-invalid={invalid} {...input} />
      )}
    </Field>
  )
}

/** Lines to write on, with their label and their note. */
export function TextAreaField({ label, note, error, ...area }: Labelled<ComponentProps<'textarea'>>) {
  return (
    <Field label={label} note={note} error={error}>
      {(id, describedBy, invalid) => (
        <TextArea id={id} aria-describedby={describedBy} aria-invalid={invalid} {...area} />
      )}
    </Field>
  )
}
