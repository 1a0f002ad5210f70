import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { InFooter } from './Dialog'

interface Props {
  /** What is wrong: of a field, which says it itself, or of the whole, which is said over the buttons. */
  fault?: FormFault
  /** What stands under the form; a button that sends it takes its id. */
  buttons: (formId: string) => ReactNode
  /** What came of it: it is brought into sight. */
  outcome?: ReactNode
  /** Something was written in it. */
  onEdit?: () => void
  onSubmit: () => void
  children: ReactNode
}

export interface FormFault {
  text: string
  /** The field it is of, by the name the form gives it. */
  field?: string
}

/** A form in a dialog. Its fields scroll; its buttons stay in sight. Of what is wrong the field gets the focus. */
export function DialogForm({ fault, buttons, outcome, onEdit, onSubmit, children }: Props) {
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!fault?.field) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    field?.focus()
    field?.scrollIntoView({ block: 'center' }) // with what is said under it
  }, [fault])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} id={id} noValidate className="flex flex-col gap-4" onSubmit={submit} onInput={onEdit}>
      {children}
      {outcome && <div ref={intoSight}>{outcome}</div>}
      <InFooter>
        {fault && !fault.field && (
          <p role="alert" className="w-full text-small text-err [overflow-wrap:anywhere]">
            {fault.text}
          </p>
        )}
        {buttons(id)}
      </InFooter>
    </form>
  )
}

function intoSight(outcome: HTMLElement | null): void {
  outcome?.scrollIntoView({ block: 'nearest' })
}
