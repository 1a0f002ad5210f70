import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { ErrorSchema } from '@rjsf/utils'
import { isFields } from '../../../transport/decode'
import { type Fault, missing, steps } from './serverFaults'

/** Keywords whose failure only says that something in them failed, which is said too. */
const wrappers = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
  'additionalProperties',
  'then',
  'else',
])

/** Checks JSON text against a tool's schema. A schema that is none finds no fault: the tool itself checks again. */
export function schemaFaults(text: string, parameters: unknown): Fault[] {
  if (!isSchema(parameters)) return []
  try {
    const { errors } = new Validator(parameters, '2020-12', false).validate(JSON.parse(text))
    return errors.filter((each) => !wrappers.has(each.keyword)).map(faultOf)
  } catch {
    return [] // not JSON yet, or a reference that leads nowhere
  }
}

function isSchema(value: unknown): value is Schema {
  return isFields(value)
}

function faultOf({ instanceLocation, keyword, error }: OutputUnit): Fault {
  const path = steps(instanceLocation.replace(/^#/, ''))
  const absent = keyword === 'required' ? /required property "(.*)"\.$/.exec(error)?.[1] : undefined
  return absent === undefined ? { path, message: error } : { path: [...path, absent], message: missing }
}

/** The faults in the form's own order of things. */
export function errorSchema(faults: readonly Fault[]): ErrorSchema {
  const root: Errors = { errors: [], below: new Map() }
  for (const { path, message } of faults) {
    let at = root
    for (const step of path) {
      const next = at.below.get(step) ?? { errors: [], below: new Map() }
      at.below.set(step, next)
      at = next
    }
    at.errors.push(message)
  }
  return plain(root)
}

interface Errors {
  errors: string[]
  below: Map<string, Errors>
}

function plain({ errors, below }: Errors): ErrorSchema {
  return Object.fromEntries([...[...below].map(([step, each]) => [step, plain(each)]), ['__errors', errors]])
}
