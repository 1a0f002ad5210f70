import {
  elements,
  isExact,
  isJsonError,
  type JsonMember,
  type JsonNode,
  members,
  parseJson,
  rawMember,
  stringValue,
} from './json'

/** A piece of a call's details, drawn by its kind. raw is its value's JSON text, whatever the kind. */
export type Block =
  | { kind: 'text' | 'markdown' | 'diff' | 'terminal'; text: string; raw: string }
  | { kind: 'code'; text: string; lang?: string; raw: string }
  | { kind: 'table'; columns: string[]; rows: string[][]; raw: string } // cells are JSON texts
  | { kind: 'image'; src: string; mediaType?: string; alt?: string; raw: string }
  | { kind: 'file'; path: string; line?: number; raw: string }
  | { kind: 'progress'; done: number; total?: number; unit?: string; raw: string }
  | { kind: 'json'; raw: string }

/**
 * The blocks of details, given as JSON text. In an object a member named for a kind, whose value fits, is a block of that kind,
 * in the order of the text; all other members together are one JSON block behind them. The elements of an array likewise: what
 * gives no block stays in one array. Null gives none, and what is not JSON is one JSON block of that text.
 */
export function detailsBlocks(detailsText: string): Block[] {
  const root = parseJson(detailsText)
  if (isJsonError(root)) return [{ kind: 'json', raw: detailsText }]
  if (root.kind === 'null') return []
  const blocks: Block[] = []
  const rest = take(root, blocks)
  if (rest !== undefined) blocks.push({ kind: 'json', raw: rest })
  return blocks
}

/** Adds the blocks of a value and returns the JSON text of the rest of it; undefined when nothing is left. */
function take(value: JsonNode, blocks: Block[]): string | undefined {
  if (value.kind === 'object') return takeObject(value, blocks)
  if (value.kind !== 'array') return value.text
  const before = blocks.length
  const rest: string[] = []
  for (const text of elements(value.text)) {
    const left = text.startsWith('{') ? takeObject({ kind: 'object', text }, blocks) : text
    if (left !== undefined) rest.push(left)
  }
  if (blocks.length === before) return value.text
  return rest.length === 0 ? undefined : `[${rest.join(',')}]`
}

function takeObject(value: JsonNode, blocks: Block[]): string | undefined {
  const before = blocks.length
  const rest: string[] = []
  for (const member of members(value)) {
    const block = blockOf(member)
    if (block === undefined) rest.push(`${member.keyText}:${member.value.text}`)
    else blocks.push(block)
  }
  if (blocks.length === before) return value.text
  return rest.length === 0 ? undefined : `{${rest.join(',')}}`
}

function blockOf({ key, value }: JsonMember): Block | undefined {
  const raw = value.text
  switch (key) {
    case 'text':
    case 'markdown':
    case 'diff':
    case 'terminal':
      return value.kind === 'string' ? { kind: key, text: stringValue(raw), raw } : undefined
    case 'code': {
      const text = string(raw, 'text')
      const lang = optionalString(raw, 'lang')
      return text === undefined || lang === null ? undefined : { kind: 'code', text, lang, raw }
    }
    case 'table':
      return table(raw)
    case 'image': {
      const src = string(raw, 'src')
      const mediaType = optionalString(raw, 'mediaType')
      const alt = optionalString(raw, 'alt')
      if (!src || mediaType === null || alt === null) return undefined
      return { kind: 'image', src, mediaType, alt, raw }
    }
    case 'file': {
      const path = string(raw, 'path')
      const line = optionalNumber(raw, 'line')
      if (!path || line === null || (line !== undefined && !Number.isSafeInteger(line))) return undefined
      return { kind: 'file', path, line: line || undefined, raw }
    }
    case 'progress': {
      const done = optionalNumber(raw, 'done')
      const total = optionalNumber(raw, 'total')
      const unit = optionalString(raw, 'unit')
      if (done === undefined || done === null || total === null || unit === null) return undefined
      return { kind: 'progress', done, total, unit, raw }
    }
    default:
      return undefined
  }
}

function table(raw: string): Block | undefined {
  const columns = rawMember(raw, 'columns')
  const rows = rawMember(raw, 'rows') ?? 'null'
  if (!columns?.startsWith('[') || !(rows === 'null' || rows.startsWith('['))) return undefined
  const names = elements(columns)
  const lines = elements(rows)
  if (!names.every((name) => name.startsWith('"')) || !lines.every((line) => line.startsWith('['))) return undefined
  return { kind: 'table', columns: names.map(stringValue), rows: lines.map(elements), raw }
}

function string(raw: string, name: string): string | undefined {
  const value = rawMember(raw, name)
  return value?.startsWith('"') ? stringValue(value) : undefined
}

/** undefined when it is absent, null when it is no string. */
function optionalString(raw: string, name: string): string | undefined | null {
  const value = rawMember(raw, name)
  if (value === undefined || value === 'null') return undefined
  return value.startsWith('"') ? stringValue(value) : null
}

/** undefined when it is absent, null when it is no number or one that JavaScript would change. */
function optionalNumber(raw: string, name: string): number | undefined | null {
  const value = rawMember(raw, name)
  if (value === undefined || value === 'null') return undefined
  return /^[-\d]/.test(value) && isExact(value) ? Number(value) : null
}
