/** What a JSON value is. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** A JSON value by its own text: nothing is rounded, no key is lost. Its members and items are read when they are asked for. */
export interface JsonNode {
  kind: JsonKind
  text: string
}

/** A member of an object, in the order of the text; a key that repeats is there as often as it was written. */
export interface JsonMember {
  key: string
  keyText: string // with its quotes and escapes
  value: JsonNode
  duplicate: boolean // the same key stands elsewhere in the object
  caseVariant: boolean // a key that differs only in case does; some readers take the one for the other
}

/** Why a text is not JSON. */
export interface JsonError {
  message: string
}

export function isJsonError(x: JsonNode | JsonError): x is JsonError {
  return 'message' in x
}

/** Checks a text and gives its value. Any depth will do: nothing here recurses. */
export function parseJson(text: string): JsonNode | JsonError {
  try {
    JSON.parse(text)
  } catch (err) {
    return { message: err instanceof Error ? err.message : String(err) }
  }
  return node(text.trim())
}

/** The members of an object node; none of another kind. */
export function members(of: JsonNode): JsonMember[] {
  const found: JsonMember[] = []
  const seen = new Map<string, number>()
  const folded = new Map<string, Set<string>>()
  eachMember(of.text, (keyStart, keyEnd, start, end) => {
    const keyText = of.text.slice(keyStart, keyEnd)
    const key = stringValue(keyText)
    seen.set(key, (seen.get(key) ?? 0) + 1)
    const fold = foldCase(key)
    const variants = folded.get(fold)
    if (variants === undefined) folded.set(fold, new Set([key]))
    else variants.add(key)
    found.push({ key, keyText, value: node(of.text.slice(start, end)), duplicate: false, caseVariant: false })
  })
  for (const member of found) {
    member.duplicate = (seen.get(member.key) ?? 0) > 1
    member.caseVariant = (folded.get(foldCase(member.key))?.size ?? 0) > 1
  }
  return found
}

/** The items of an array node; none of another kind. */
export function items(of: JsonNode): JsonNode[] {
  return elements(of.text).map(node)
}

/** The string a JSON string's text stands for. */
export function stringValue(text: string): string {
  if (!text.includes('\\')) return text.slice(1, -1)
  const value: unknown = JSON.parse(text)
  return typeof value === 'string' ? value : ''
}

/** Whether JavaScript's number for a JSON number's text has the same value: not for 1e400 or a 19-digit id. */
export function isExact(numberText: string): boolean {
  const value = Number(numberText)
  return Number.isFinite(value) && decimal(numberText) === decimal(String(value))
}

/** The raw JSON text of an object's member; of a key that repeats, the last, as JSON.parse takes it. */
export function rawMember(text: string, key: string): string | undefined {
  let found: string | undefined
  eachMember(text, (keyStart, keyEnd, start, end) => {
    if (keyIs(text, keyStart, keyEnd, key)) found = text.slice(start, end)
  })
  return found
}

/** rawMember for several names in one pass. */
export function rawMembers<K extends string>(text: string, names: readonly K[]): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = Object.create(null) // a member may be named __proto__
  eachMember(text, (keyStart, keyEnd, start, end) => {
    for (const name of names) {
      if (keyIs(text, keyStart, keyEnd, name)) found[name] = text.slice(start, end)
    }
  })
  return found
}

/** The raw JSON texts of an array's elements. */
export function elements(text: string): string[] {
  const found: string[] = []
  let i = skipSpace(text, 0)
  if (text[i] !== '[') return found
  i = skipSpace(text, i + 1)
  while (i < text.length && text[i] !== ']') {
    const end = skipValue(text, i)
    found.push(text.slice(i, end))
    i = skipSpace(text, skipSpace(text, end) + 1)
  }
  return found
}

const maxIndent = 40 // levels; deeper ones stand in one column, else deep nesting costs its square in spaces

/** JSON text laid out over lines, each token as it was written; what is not JSON comes back as it is. */
export function pretty(text: string): string {
  if (isJsonError(parseJson(text))) return text
  const out: string[] = []
  let depth = 0
  let i = skipSpace(text, 0)
  const line = () => `\n${'  '.repeat(Math.min(depth, maxIndent))}`
  while (i < text.length) {
    const c = text[i]
    if (c === '{' || c === '[') {
      const next = skipSpace(text, i + 1)
      if (text[next] === '}' || text[next] === ']') {
        out.push(c, text.charAt(next))
        i = next + 1
      } else {
        depth++
        out.push(c, line())
        i++
      }
    } else if (c === '}' || c === ']') {
      depth--
      out.push(line(), c)
      i++
    } else if (c === ',') {
      out.push(',', line())
      i++
    } else if (c === ':') {
      out.push(': ')
      i++
    } else {
      const end = skipValue(text, i)
      out.push(text.slice(i, end))
      i = end
    }
    i = skipSpace(text, i)
  }
  return out.join('')
}

/** Whether the key between two quotes is the given one. */
function keyIs(text: string, start: number, end: number, key: string): boolean {
  if (end - start === key.length + 2 && text.startsWith(key, start + 1)) return !key.includes('\\')
  const raw = text.slice(start, end)
  return raw.includes('\\') && stringValue(raw) === key
}

function node(text: string): JsonNode {
  return { kind: kindOf(text), text }
}

function kindOf(text: string): JsonKind {
  switch (text[0]) {
    case '{':
      return 'object'
    case '[':
      return 'array'
    case '"':
      return 'string'
    case 't':
    case 'f':
      return 'boolean'
    case 'n':
      return 'null'
    default:
      return 'number'
  }
}

/** Both ways, for the letters that fold into ASCII only in one. */
function foldCase(key: string): string {
  return key.toUpperCase().toLowerCase()
}

/** A decimal number's value in one spelling: its digits without zeros at either end, and a power of ten. */
function decimal(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  let first = 0
  let last = digits.length
  while (first < last && digits[first] === '0') first++
  while (last > first && digits[last - 1] === '0') last--
  if (first === last) return '0'
  if (last - first > maxDigits || exponent.length > maxDigits) return text
  return `${sign}${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`
}

const maxDigits = 20 // more than a double holds, in a value or an exponent

function eachMember(
  text: string,
  visit: (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void,
): void {
  let i = skipSpace(text, 0)
  if (text[i] !== '{') return
  i = skipSpace(text, i + 1)
  while (text[i] === '"') {
    const keyEnd = skipString(text, i)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    visit(i, keyEnd, start, end)
    i = skipSpace(text, skipSpace(text, end) + 1)
  }
}

function skipSpace(text: string, from: number): number {
  let i = from
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break
  }
  return i
}

/** The end of the value that begins at from, in a text that is JSON; in any other it stays within the text. */
function skipValue(text: string, from: number): number {
  let depth = 0
  let i = from
  while (i < text.length) {
    const c = text.charCodeAt(i)
    if (c === 0x22) {
      i = skipString(text, i)
      if (depth === 0) return i
    } else if (c === 0x7b || c === 0x5b) {
      depth++
      i++
    } else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i
      i++
      if (--depth === 0) return i
    } else if (depth === 0) {
      return skipScalar(text, i)
    } else {
      i++
    }
  }
  return i
}

function skipScalar(text: string, from: number): number {
  let i = from
  while (i < text.length && !',]}: \n\r\t'.includes(text.charAt(i))) i++
  return i
}

function skipString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1)
  while (quote >= 0) {
    let slash = quote
    while (text.charCodeAt(slash - 1) === 0x5c) slash--
    if ((quote - slash) % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}
