import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { ErrorSchema } from '@rjsf/utils'
import { isFields } from '../../../transport/decode'
import { type Fault, missing, steps } from './serverFaults'

/** Keywords whose failure only says that something in them failed, which is said too. */
const wrappers = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalProperties', 'if'])

/** The branch of a union that a form shows at a path: a schema. */
export interface Chosen {
  path: string[]
  branch: unknown
}

/**
 * Checks JSON text against a tool's schema; of a union, against the branch that is chosen, where one is. A schema that is none finds
 * no fault: the tool itself checks again.
 */
export function schemaFaults(text: string, parameters: unknown, chosen: readonly Chosen[] = []): Fault[] {
  if (!isSchema(parameters)) return []
  try {
    const value: unknown = JSON.parse(text)
    const { $defs, definitions } = parameters
    const outerFirst = chosen.toSorted((a, b) => a.path.length - b.path.length)
    return outerFirst.reduce(
      (faults, { path, branch }) => {
        const within = path.reduce<unknown>((at, step) => (at === undefined ? at : Object(at)[step]), value)
        if (within === undefined || !isSchema(branch)) return faults
        return [
          ...faults.filter(({ path: at }) => !path.every((step, i) => at[i] === step)),
          ...faultsOf(within, { ...branch, $defs, definitions }).map(({ path: below, message }) => ({
            path: [...path, ...below],
            message,
          })),
        ]
      },
      faultsOf(value, parameters),
    )
  } catch {
    return [] // not JSON yet, or a reference that leads nowhere
  }
}

function faultsOf(value: unknown, schema: Schema): Fault[] {
  const { errors } = new Validator(schema, '2020-12', false).validate(value)
  return errors.filter((each) => !wrappers.has(each.keyword)).map(faultOf)
}

function isSchema(value: unknown): value is Schema {
  return isFields(value)
}

function faultOf({ instanceLocation, keyword, error }: OutputUnit): Fault {
  const path = steps(instanceLocation.replace(/^#/, ''))
  const absent = keyword === 'required' ? /required property "(.*)"\.$/.exec(error)?.[1] : undefined
  const fits = keyword === 'anyOf' ? '0' : keyword === 'oneOf' ? /\((\d+) matches\)/.exec(error)?.[1] : undefined
  if (fits !== undefined) return { path, message: `Fits ${fits === '0' ? 'none' : 'more than one'} of its choices.` }
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
