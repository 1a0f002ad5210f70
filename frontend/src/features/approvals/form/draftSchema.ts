import type { RJSFSchema } from '@rjsf/utils'
import {
  elements,
  isJsonError,
  items,
  type JsonNode,
  members,
  parseJson,
  rawMember,
  stringValue,
} from '../../../protocol/json'
import { type Fields, fields, isFields, text } from '../../../transport/decode'

/*
 * A form in a browser works on JavaScript values, and those change JSON: 1.0 becomes 1, 19 digits become others. So a form here works
 * on drafts. A draft has the objects and lists of the arguments, and at their ends strings that say in their first letter what they
 * are: "s" and a text, "n" and the digits of a number as they were written, "j" and any other JSON as text. A draft schema describes
 * the drafts of what a tool's schema describes, and is what the form is made from.
 */

/** The schema of any value, edited as JSON text. */
export const rawSchema: RJSFSchema = { type: 'string', pattern: '^j' }

/** Where the draft schema of a branch has the branch itself, which what is entered in it is held to. */
export const branchOf = 'branchOf'

/** A schema, and of each object in it how it is written. */
interface Schemas {
  root: Fields
  texts: ReadonlyMap<object, string>
}

/**
 * Makes the draft schema of a tool's arguments. What a form cannot show becomes a field of JSON text. Where the schema's own text is
 * given too, the values it names stand as they are written there.
 */
export function draftSchema(parameters: unknown, text?: string): RJSFSchema {
  const root = fields(parameters)
  const texts = new Map<object, string>()
  const node = parseJson(text ?? JSON.stringify(root))
  if (!isJsonError(node)) note(root, node, texts)
  const all = { root, texts }
  const definitions: Record<string, RJSFSchema> = {}
  for (const place of ['$defs', 'definitions']) {
    for (const [name, schema] of Object.entries(fields(root[place]))) definitions[name] = convert(schema, all)
  }
  const top: RJSFSchema = takesNothing(parameters)
    ? { type: 'object', properties: {}, additionalProperties: false }
    : convert(root, all)
  return { ...top, title: undefined, description: undefined, $defs: definitions }
}

/** What is said of a value that is not given: the default that then holds, which a draft schema has as its example. */
export function notGiven(examples: RJSFSchema['examples'], absent = 'not given'): string {
  const [standard] = Array.isArray(examples) ? examples : []
  return typeof standard === 'string' ? `${absent}: ${standard}` : absent
}

/** Whether a tool is called without arguments: its schema is of an object, and names no member and no kind of members. */
export function takesNothing(parameters: unknown): boolean {
  const root = fields(parameters)
  const isObject = root.type === 'object' || isFields(root.properties)
  const others = root.additionalProperties ?? false
  return isObject && others === false && names(root).length === 0 && !memberWords.some((word) => word in root)
}

/** Words of a schema by which an object has members other than its properties. */
const memberWords = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'dependentSchemas', 'patternProperties']

/** Why no form can be made of a tool's arguments, in a sentence; undefined when one can be. */
export function formless(parameters: unknown): string | undefined {
  if (draftSchema(parameters).type === 'object') return undefined
  const root = fields(parameters)
  const odd = names(root).find(isUnusable)
  if (odd !== undefined) return `A form cannot show an argument ${odd ? `named ${odd}` : 'without a name'}.`
  if (root.allOf !== undefined) return 'A form cannot show arguments that several schemas describe (allOf).'
  if (root.anyOf !== undefined || root.oneOf !== undefined) {
    return `A form cannot show arguments that are one of several sets (${root.anyOf === undefined ? 'oneOf' : 'anyOf'}).`
  }
  if (isConditional(root)) return 'A form cannot show arguments that depend on others (if, then, else).'
  return 'A form needs the names of the arguments, and the schema leaves them open.'
}

function note(value: unknown, node: JsonNode, texts: Map<object, string>): void {
  if (Array.isArray(value)) {
    for (const [i, item] of items(node).entries()) note(value[i], item, texts)
  } else if (isFields(value)) {
    texts.set(value, node.text)
    for (const member of members(node)) note(value[member.key], member.value, texts)
  }
}

/** The JSON text of a member of a schema that has it. */
function written(schema: Fields, name: string, { texts }: Schemas): string {
  return rawMember(texts.get(schema) ?? '{}', name) ?? JSON.stringify(schema[name])
}

function convert(schema: unknown, all: Schemas): RJSFSchema {
  if (!isFields(schema)) return rawSchema
  return { ...shape(schema, all), ...words(schema, all) }
}

function words(schema: Fields, all: Schemas): RJSFSchema {
  const { title, description, default: standard } = schema
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(standard !== undefined && { examples: [written(schema, 'default', all)] }),
  }
}

function shape(schema: Fields, all: Schemas): RJSFSchema {
  if (typeof schema.$ref === 'string') return reference(schema.$ref, all)
  if ('const' in schema) return choice([written(schema, 'const', all)])
  if (Array.isArray(schema.enum)) return choice(elements(written(schema, 'enum', all)))
  if (schema.allOf !== undefined || isConditional(schema)) return rawSchema
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches) && branches.length > 0) return union(branches, schema, all)
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    if (types.length !== 1) return rawSchema
    const only = shape({ ...schema, type: types[0] }, all)
    return types.length === schema.type.length ? only : nullable(only)
  }
  switch (schema.type) {
    case 'string':
      return { type: 'string', pattern: '^s', ...(text(schema, 'format') === 'textarea' && { format: 'textarea' }) }
    case 'number':
    case 'integer':
      return { type: 'string', pattern: '^n' }
    case 'boolean':
      return choice(['true', 'false'])
    case 'null':
      return choice(['null'])
    case 'array':
      return isFields(schema.items) && schema.prefixItems === undefined
        ? { type: 'array', items: convert(schema.items, all) }
        : rawSchema
    case 'object':
      return object(schema, all)
    default:
      return isFields(schema.properties) ? object(schema, all) : rawSchema
  }
}

/** An object whose members are known. One with members of any name is edited as JSON. */
function object(schema: Fields, all: Schemas): RJSFSchema {
  const named = names(schema)
  const open = schema.additionalProperties !== false || schema.patternProperties !== undefined
  if ((named.length === 0 && open) || named.some(isUnusable)) return rawSchema
  const own = fields(schema.properties)
  const properties = Object.fromEntries(
    named.map((name) => [name, Object.hasOwn(own, name) ? convert(own[name], all) : rawSchema]),
  )
  return { type: 'object', properties, required: required(schema), additionalProperties: false }
}

/** The members a schema names; one that is only required can be anything. */
function names(schema: Fields): string[] {
  return [...new Set([...Object.keys(fields(schema.properties)), ...required(schema)])]
}

function required(schema: Fields): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
}

/** A name that the form's own paths and objects cannot hold. */
function isUnusable(name: string): boolean {
  return name === '' || name === '__proto__'
}

/** Whether a condition decides which members there are. One that only asks for some that have a field anyway is left to the check. */
function isConditional(schema: Fields): boolean {
  const own = new Set(names(schema))
  const then = [schema.then, schema.else, ...Object.values(fields(schema.dependentSchemas))].filter(isFields)
  return then.some(
    (each) => Object.keys(each).some((word) => !plainWords.has(word)) || names(each).some((name) => !own.has(name)),
  )
}

const plainWords = new Set(['properties', 'required', 'type', 'title', 'description'])

/** Of the values a schema lists, by their JSON texts, the drafts. */
function choice(values: readonly string[]): RJSFSchema {
  return { type: 'string', enum: values.map(draftOf) }
}

function draftOf(value: string): string {
  if (value.startsWith('"')) return `s${stringValue(value)}`
  return `${/^[-\d]/.test(value) ? 'n' : 'j'}${value}`
}

function union(branches: unknown[], schema: Fields, all: Schemas): RJSFSchema {
  if (schema.properties !== undefined) return rawSchema // what is shared and what is chosen would have to be merged
  const isNull = (branch: unknown) => isFields(branch) && (branch.type === 'null' || branch.const === null)
  const others = branches.filter((branch) => !isNull(branch))
  const [only] = others
  if (others.length === 1 && others.length < branches.length) return nullable(convert(only, all))
  const anyOf = branches.map((branch, i) => {
    const draft = convert(branch, all)
    return { ...draft, title: draft.title ?? branchName(branch, i), [branchOf]: branch }
  })
  return { anyOf }
}

/** What a branch without a title is called: by its reference, by what it needs, or by its type. */
function branchName(branch: unknown, i: number): string {
  const { type, $ref, const: constant } = fields(branch)
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (constant !== undefined) return JSON.stringify(constant)
  const needed = required(fields(branch))
  const members = needed.length > 0 ? needed : names(fields(branch))
  if (members.length > 0) return members.map((name) => name || '""').join(', ')
  return typeof type === 'string' ? type : `Choice ${i + 1}`
}

/** Also null. Of what is no single field, null is one of two branches. */
function nullable(of: RJSFSchema): RJSFSchema {
  if (of.type === 'string' && of.enum) return { ...of, enum: [...of.enum, 'jnull'] }
  if (of.type === 'string') return { ...of, pattern: `${of.pattern ?? '^j'}|^jnull$`, format: 'nullable' }
  return {
    anyOf: [
      { ...of, title: 'value' },
      { ...choice(['null']), title: 'null' },
    ],
  }
}

/** Only what is defined in the schema itself can be found. */
function reference(ref: string, all: Schemas): RJSFSchema {
  const match = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref)
  const name = match?.[2]?.replaceAll('~1', '/').replaceAll('~0', '~')
  const found = match?.[1] && name !== undefined && Object.hasOwn(fields(all.root[match[1]]), name)
  if (found) return { $ref: `#/$defs/${match[2]}` }
  return { ...rawSchema, description: `Its schema, ${ref}, is not there: write it as JSON.` }
}
