/** Reading JSON of which nothing is known yet. A member that is absent or of another type gives the fallback. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function text(of: Fields, name: string): string {
  const value = of[name]
  return typeof value === 'string' ? value : ''
}

export function optionalText(of: Fields, name: string): string | undefined {
  return text(of, name) || undefined
}

export function number(of: Fields, name: string): number {
  const value = of[name]
  return typeof value === 'number' ? value : 0
}

export function optionalNumber(of: Fields, name: string): number | undefined {
  const value = of[name]
  return typeof value === 'number' ? value : undefined
}

export function flag(of: Fields, name: string): boolean {
  return of[name] === true
}

/** The members of an object that are true or false. */
export function flags(of: Fields, name: string): Record<string, boolean> {
  const entries = Object.entries(fields(of[name]))
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'boolean' ? [[key, value]] : [])))
}

export function list<T>(of: Fields, name: string, item: (value: Fields) => T): T[] {
  const value = of[name]
  return Array.isArray(value) ? value.map((each) => item(fields(each))) : []
}

export function texts(of: Fields, name: string): string[] {
  const value = of[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** One of a few words, or the first of them. */
export function word<W extends string>(of: Fields, name: string, words: readonly [W, ...W[]]): W {
  const value = of[name]
  return words.find((each) => each === value) ?? words[0]
}

/** Parses JSON, or gives undefined for what is none. */
export function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
