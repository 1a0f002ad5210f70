import { isJsonError, items, type JsonNode, members, parseJson, stringValue } from '../../protocol/json'

/** A value that a schema describes, in words. What a schema says in numbers stands as it is written there. */
export interface SchemaRow {
  /** Unique in its table: the names that lead to it. */
  key: string
  name: string
  /** How many objects and lists it stands in. */
  depth: number
  type: string
  required: boolean
  /** The default, as JSON text. */
  standard?: string
  /** "≥ 1, at most 80 characters". */
  limits: string
  description: string
}

/** Deeper, or with more rows, a schema is only read raw. */
const most = { depth: 8, rows: 400 }

/** The members of the object a JSON Schema describes, each before those inside it. */
export function schemaRows(schemaText: string): SchemaRow[] {
  const root = parseJson(schemaText)
  if (isJsonError(root)) return []
  const rows: SchemaRow[] = []
  inside(resolve(root, root), { root, rows, depth: 0, key: '', open: new Set([root.text]) })
  return rows
}

interface At {
  root: JsonNode
  rows: SchemaRow[]
  depth: number
  key: string
  /** The texts of the schemas this stands in: one that holds itself is shown once. */
  open: ReadonlySet<string>
}

function inside(schema: JsonNode, at: At): void {
  const needed = new Set(items(member(schema, 'required')).map(textOf))
  for (const { key, value } of members(member(schema, 'properties'))) {
    add(key, value, needed.has(key), at)
  }
  for (const word of ['anyOf', 'oneOf']) {
    for (const branch of items(member(schema, word))) inside(resolve(branch, at.root), at)
  }
  const each = member(schema, 'items')
  if (each.kind === 'object' && isHolding(resolve(each, at.root))) add('each item', each, false, at)
}

function add(name: string, value: JsonNode, required: boolean, at: At): void {
  const { rows, depth, root, open } = at
  const key = `${at.key}/${name}`
  if (depth > most.depth || rows.length >= most.rows) return
  const found = resolve(value, root)
  const description = textOf(member(value, 'description')) || textOf(member(found, 'description'))
  const standard = given(value, 'default') ?? given(found, 'default')
  rows.push({
    key: `${key}:${rows.length}`,
    name,
    depth,
    type: typeWords(value, root),
    required,
    standard,
    limits: limitWords(found),
    description,
  })
  if (open.has(found.text)) return
  inside(found, { ...at, depth: depth + 1, key, open: new Set([...open, found.text]) })
}

/** Whether there is something to say of what is in it. */
function isHolding(schema: JsonNode): boolean {
  return given(schema, 'properties') !== undefined || given(schema, 'anyOf') !== undefined
}

/** What kind of value a schema describes: "string or null", "array of integer", "one of "a", "b"". */
function typeWords(schema: JsonNode, root: JsonNode, depth = 0): string {
  if (schema.kind !== 'object') return 'anything'
  const reference = given(schema, '$ref')
  if (reference !== undefined) {
    const found = resolve(schema, root)
    if (found === schema) return `a reference that leads nowhere: ${textOf(member(schema, '$ref'))}`
    return depth > 3 ? 'anything' : typeWords(found, root, depth + 1)
  }
  const constant = given(schema, 'const')
  if (constant !== undefined) return `always ${constant}`
  const choices = items(member(schema, 'enum'))
  if (choices.length > 0) return `one of ${choices.map(({ text }) => text).join(', ')}`
  for (const word of ['anyOf', 'oneOf']) {
    const branches = items(member(schema, word))
    if (branches.length > 0) return joined(branches.map((branch) => typeWords(branch, root, depth + 1)))
  }
  const type = member(schema, 'type')
  const types = type.kind === 'array' ? items(type).map(textOf) : [textOf(type)].filter(Boolean)
  if (types.length === 0) return given(schema, 'properties') === undefined ? 'anything' : 'object'
  return joined(types.map((each) => typeWord(each, schema, root, depth)))
}

function typeWord(type: string, schema: JsonNode, root: JsonNode, depth: number): string {
  if (type !== 'array') return type
  const each = member(schema, 'items')
  return each.kind === 'object' ? `array of ${typeWords(each, root, depth + 1)}` : 'array'
}

function joined(types: string[]): string {
  return [...new Set(types)].join(' or ')
}

const limits: readonly [string, (value: string) => string][] = [
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `at least ${characters(value)}`],
  ['maxLength', (value) => `at most ${characters(value)}`],
  ['minItems', (value) => `at least ${value} ${value === '1' ? 'item' : 'items'}`],
  ['maxItems', (value) => `at most ${value} ${value === '1' ? 'item' : 'items'}`],
  ['format', (value) => value],
  ['pattern', (value) => `like ${value}`],
]

function characters(n: string): string {
  return n === '1' ? '1 character' : `${n} characters`
}

function limitWords(schema: JsonNode): string {
  const said = limits.map(([name, say]) => {
    const value = given(schema, name)
    return value !== undefined && say(value.startsWith('"') ? stringValue(value) : value)
  })
  return said.filter(Boolean).join(', ')
}

const nothing: JsonNode = { kind: 'null', text: 'null' }

function member(schema: JsonNode, name: string): JsonNode {
  if (schema.kind !== 'object') return nothing
  return members(schema).findLast(({ key }) => key === name)?.value ?? nothing
}

function given(schema: JsonNode, name: string): string | undefined {
  if (schema.kind !== 'object') return undefined
  return members(schema).findLast(({ key }) => key === name)?.value.text
}

function textOf(node: JsonNode): string {
  return node.kind === 'string' ? stringValue(node.text) : ''
}

/** What a reference inside the schema leads to; the schema itself when it is none, or leads nowhere. */
function resolve(schema: JsonNode, root: JsonNode): JsonNode {
  const passed = new Set<string>()
  let at = schema
  for (;;) {
    const reference = textOf(member(at, '$ref'))
    if (reference === '#') return root
    if (!reference.startsWith('#/') || passed.has(reference)) return at
    passed.add(reference)
    let found: JsonNode = root
    for (const step of reference.slice(2).split('/')) {
      found = member(found, decodeStep(step))
    }
    if (found.kind !== 'object') return schema
    at = found
  }
}

function decodeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
