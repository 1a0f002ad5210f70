import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { ErrorSchema } from '@rjsf/utils'
import { isFields } from '../../../transport/decode'
import { counted } from '../../../ui/format'
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
  return errors.filter((each) => !wrappers.has(each.keyword)).map((each) => faultOf(each, schema))
}

function isSchema(value: unknown): value is Schema {
  return isFields(value)
}

function faultOf(unit: OutputUnit, schema: Schema): Fault {
  const { instanceLocation, keyword, error } = unit
  const path = steps(instanceLocation.replace(/^#/, ''))
  const absent = keyword === 'required' ? /required property "(.*)"\.$/.exec(error)?.[1] : undefined
  const fits = keyword === 'anyOf' ? '0' : keyword === 'oneOf' ? /\((\d+) matches\)/.exec(error)?.[1] : undefined
  if (fits !== undefined) return { path, message: `Fits ${fits === '0' ? 'none' : 'more than one'} of its choices.` }
  return absent === undefined ? { path, message: inWords(unit, schema) } : { path: [...path, absent], message: missing }
}

const kinds: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  date: 'a date, such as 2026-01-31',
  'date-time': 'a date and time, such as 2026-01-31T12:00:00Z',
  time: 'a time of day, such as 12:00:00Z',
  email: 'an email address',
  uri: 'an address, such as https://example.com/',
  uuid: 'a UUID',
}

/** What the validator found, in words for a person. */
function inWords({ keyword, keywordLocation, error }: OutputUnit, schema: Schema): string {
  const asked = valueAt(schema, keywordLocation)
  switch (keyword) {
    case 'type':
      return `Not ${[asked]
        .flat()
        .map((type) => kinds[String(type)] ?? String(type))
        .join(' or ')}.`
    case 'format':
      return `Not ${formats[String(asked)] ?? `in the format ${String(asked)}`}.`
    case 'pattern':
      return `Not like ${String(asked)}`
    case 'minLength':
      return `At least ${counted(Number(asked), 'character')}.`
    case 'maxLength':
      return `At most ${counted(Number(asked), 'character')}.`
    case 'minItems':
      return `At least ${counted(Number(asked), 'item')}.`
    case 'maxItems':
      return `At most ${counted(Number(asked), 'item')}.`
    case 'false':
      return 'Not expected here.'
    default:
      return error.replace(/^Instance /, 'The value ')
  }
}

/** What stands in a schema where the validator says a keyword is; undefined where the way there leads out of the schema. */
function valueAt(schema: Schema, location: string): unknown {
  const walk = (from: unknown, pointer: string) =>
    steps(pointer.replace(/^#/, '')).reduce<unknown>((at, step) => {
      const next = isFields(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined
      return step === '$ref' && typeof next === 'string' ? found(next) : next
    }, from)
  const found = (ref: string): unknown => (ref.startsWith('#') ? walk(schema, ref) : undefined)
  return walk(schema, location)
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
