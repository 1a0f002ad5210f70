import { ApiError, messageOf } from '../../transport/apiError'
import type { FormFault } from '../../ui/DialogForm'

/** What is wrong with one field of a form. */
export class FieldFault extends Error {
  readonly field: string

  constructor(field: string, text: string) {
    super(text)
    this.field = field
  }
}

/** What a form shows of what was thrown. The Studio begins with the field it refuses, "name: must be …", where it is one's. */
export function formFault(cause: unknown, fields: readonly string[]): FormFault {
  const text = messageOf(cause)
  if (cause instanceof FieldFault) return { field: cause.field, text }
  if (cause instanceof ApiError && cause.code === 'NAME_TAKEN') return { field: 'name', text }
  return lineFault(text, fields)
}

/** What a form shows where the Studio refuses several fields at once, each on a line of its own. */
export function formFaults(cause: unknown, fields: readonly string[]): FormFault[] {
  const text = messageOf(cause)
  const faults = text.split('\n').map((line) => lineFault(line, fields))
  return faults.every(({ field }) => field !== undefined) ? faults : [{ text }]
}

function lineFault(text: string, fields: readonly string[]): FormFault {
  const [, field = '', said = ''] = /^(\w+): (.+)$/s.exec(text) ?? []
  return fields.includes(field) ? { field, text: `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.` } : { text }
}
