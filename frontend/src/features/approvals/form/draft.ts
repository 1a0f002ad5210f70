import type { RJSFSchema } from '@rjsf/utils'
import { isJsonError, items, type JsonNode, members, parseJson, stringValue } from '../../../protocol/json'
import { fields, isFields } from '../../../transport/decode'
import { rawSchema } from './draftSchema'

/** What a form edits; see draftSchema. */
export type Draft = string | Draft[] | { [name: string]: Draft | undefined }

/** A form over the arguments as they are: a member that its schema does not describe is a field of JSON text. */
export interface Drafted {
  schema: RJSFSchema
  draft: { [name: string]: Draft | undefined }
}

/** Makes the draft of an argument text and the schema that describes it, or says why there can be no form. */
export function draftOf(text: string, schema: RJSFSchema): Drafted | { message: string } {
  const root = parseJson(text.trim() || '{}')
  if (isJsonError(root)) return { message: `Not JSON: ${root.message}` }
  if (root.kind !== 'object') return { message: 'A form needs an object with named members.' }
  const properties: Record<string, RJSFSchema> = {}
  for (const [name, each] of Object.entries(schema.properties ?? {})) if (isFields(each)) properties[name] = each
  const draft: Drafted['draft'] = {}
  for (const { key, value, duplicate } of members(root)) {
    if (duplicate) return { message: `“${key}” stands there twice.` }
    if (key === '__proto__') return { message: 'A form cannot show a member named __proto__.' }
    if (key === '') return { message: 'A form cannot show a member without a name.' }
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    const fitting = own && toDraft(value, own, schema)
    if (fitting === undefined) properties[key] = { ...rawSchema, title: own?.title, description: own?.description }
    draft[key] = fitting ?? `j${value.text}`
  }
  return { schema: { ...schema, properties }, draft }
}

/** The draft of a value, or undefined when the schema describes another kind of value. */
function toDraft(node: JsonNode, schema: RJSFSchema, root: RJSFSchema): Draft | undefined {
  if (typeof schema.$ref === 'string') {
    const found = resolve(schema, root)
    return found && toDraft(node, found, root)
  }
  if (Array.isArray(schema.anyOf)) {
    for (const branch of schema.anyOf) {
      const draft = isFields(branch) ? toDraft(node, branch, root) : undefined
      if (draft !== undefined) return draft
    }
    return undefined
  }
  if (schema.type === 'array') return node.kind === 'array' ? listDraft(node, schema, root) : undefined
  if (schema.type === 'object') return node.kind === 'object' ? objectDraft(node, schema, root) : undefined
  return scalarDraft(node, schema)
}

/** What a reference leads to; undefined when it leads nowhere, or round and round. */
function resolve(schema: RJSFSchema, root: RJSFSchema): RJSFSchema | undefined {
  const passed = new Set<string>()
  let at: unknown = schema
  while (isFields(at) && typeof at.$ref === 'string') {
    if (passed.has(at.$ref)) return undefined
    passed.add(at.$ref)
    const name = at.$ref.slice(at.$ref.lastIndexOf('/') + 1)
    at = fields(root.$defs)[name.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return isFields(at) ? at : undefined
}

function listDraft(node: JsonNode, schema: RJSFSchema, root: RJSFSchema): Draft | undefined {
  const { items: each } = schema
  if (!isFields(each)) return undefined
  const drafts: Draft[] = []
  for (const item of items(node)) {
    const draft = toDraft(item, each, root)
    if (draft === undefined) return undefined
    drafts.push(draft)
  }
  return drafts
}

function objectDraft(node: JsonNode, schema: RJSFSchema, root: RJSFSchema): Draft | undefined {
  const properties = fields(schema.properties)
  const drafts: { [name: string]: Draft } = {}
  for (const { key, value, duplicate } of members(node)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    const draft = isFields(own) && !duplicate && key !== '__proto__' ? toDraft(value, own, root) : undefined
    if (draft === undefined) return undefined
    drafts[key] = draft
  }
  return drafts
}

function scalarDraft(node: JsonNode, { enum: choices, pattern }: RJSFSchema): string | undefined {
  const draft = scalar(node)
  if (choices) return choices.includes(draft) ? draft : undefined
  if (pattern?.startsWith('^j')) return `j${node.text}`
  if (draft.startsWith('s') && draft.includes('\r')) return undefined // a field of text would turn it into a line feed
  return pattern !== undefined && new RegExp(pattern).test(draft) ? draft : undefined
}

function scalar(node: JsonNode): string {
  if (node.kind === 'string') return `s${stringValue(node.text)}`
  return `${node.kind === 'number' ? 'n' : 'j'}${node.text}`
}

/** What a field begins with that was just added to a list. */
export function startOf(schema: RJSFSchema, root: RJSFSchema): Draft {
  const found = resolve(schema, root) ?? rawSchema
  const [branch] = found.anyOf ?? []
  if (isFields(branch)) return startOf(branch, root)
  if (found.type === 'object') return {}
  if (found.type === 'array') return []
  const choice: unknown = found.enum?.[0]
  if (typeof choice === 'string') return choice
  return found.pattern?.startsWith('^j') ? 'jnull' : (found.pattern?.slice(1, 2) ?? 's')
}

/** What a form gives back, as a draft in which what was added to a list has a beginning. */
export function begun(value: unknown, schema: RJSFSchema, root: RJSFSchema): Draft {
  const found = resolve(schema, root) ?? rawSchema
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    const each = isFields(found.items) ? found.items : rawSchema
    return value.map((item: unknown) => begun(item, each, root))
  }
  if (!isFields(value)) return startOf(found, root)
  const properties = fields(found.properties)
  const draft: { [name: string]: Draft } = {}
  for (const [name, each] of Object.entries(value)) {
    const own = properties[name]
    if (each !== undefined) draft[name] = begun(each, isFields(own) ? own : rawSchema, root)
  }
  return draft
}

/**
 * The JSON text of a draft. What was not edited stands as it was written in before; a draft that is no JSON, such as a number that is
 * half typed, stands as it was typed, so that nothing is lost and the text says what is wrong with it.
 */
export function toText(draft: Draft, before?: JsonNode): string {
  if (typeof draft === 'string') {
    if (!draft.startsWith('s')) return draft.slice(1)
    const same = before?.kind === 'string' && stringValue(before.text) === draft.slice(1)
    return same ? before.text : JSON.stringify(draft.slice(1))
  }
  if (Array.isArray(draft)) {
    const were = before?.kind === 'array' ? items(before) : []
    return `[${draft.map((each, i) => toText(each, were[i])).join(',')}]`
  }
  const written: string[] = []
  const done = new Set<string>()
  for (const { key, keyText, value } of before?.kind === 'object' ? members(before) : []) {
    const own = Object.hasOwn(draft, key) ? draft[key] : undefined
    if (own === undefined || done.has(key)) continue
    done.add(key)
    written.push(`${keyText}:${toText(own, value)}`)
  }
  for (const [key, own] of Object.entries(draft)) {
    if (own !== undefined && !done.has(key)) written.push(`${JSON.stringify(key)}:${toText(own)}`)
  }
  return `{${written.join(',')}}`
}

/** Why a single field's draft is no value of its kind; undefined when it is one. */
export function draftFault(draft: string): string | undefined {
  const rest = draft.slice(1)
  if (draft.startsWith('n')) return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(rest) ? undefined : 'Not a number.'
  if (!draft.startsWith('j')) return undefined
  const parsed = parseJson(rest)
  return isJsonError(parsed) ? `Not JSON: ${parsed.message}` : undefined
}
