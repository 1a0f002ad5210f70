import { type Schema, Validator } from '@cfworker/json-schema'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import { isFields } from '../../../transport/decode'

/** Tells the form which branch of a schema a draft fits, without generating code. What is wrong with a draft is said elsewhere. */
export const draftValidator: ValidatorType<unknown, RJSFSchema> = {
  isValid(schema, formData, root) {
    if (formData === undefined || !isSchema(schema)) return false
    const { $defs } = root
    try {
      return new Validator({ allOf: [schema], $defs }, '2020-12').validate(formData).valid
    } catch {
      return false // a reference that leads nowhere
    }
  },
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
}

function isSchema(value: unknown): value is Schema {
  return isFields(value)
}
