/** Why a JSON value is not an event. */
export class Malformed extends Error {}

/** The members of a JSON object. */
export type Fields = { readonly [name: string]: unknown }

export function fields(value: unknown, name: string): Fields {
  if (!isFields(value)) throw new Malformed(`${name} is not an object`)
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function optionalFields(f: Fields, name: string): Fields | undefined {
  const value = f[name]
  return value === undefined || value === null ? undefined : fields(value, name)
}

export function id(f: Fields, name: string): string {
  const value = text(f, name)
  if (value === '') throw new Malformed(`${name} is empty`)
  return value
}

export function text(f: Fields, name: string): string {
  const value = f[name]
  if (typeof value === 'string') return value
  throw new Malformed(value === undefined || value === null ? `${name} is missing` : `${name} is not a string`)
}

/** Empty counts as absent, as in Go. */
export function optionalText(f: Fields, name: string): string | undefined {
  const value = f[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new Malformed(`${name} is not a string`)
  return value
}

/** The whole part of a number; servers of other kinds measure in fractions. */
export function optionalInteger(f: Fields, name: string): number | undefined {
  const value = f[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number') throw new Malformed(`${name} is not a number`)
  const whole = Math.trunc(value) + 0 // no -0
  if (!Number.isSafeInteger(whole)) throw new Malformed(`${name} is too big a number`)
  return whole
}

export function flag(f: Fields, name: string): boolean {
  const value = f[name]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw new Malformed(`${name} is not true or false`)
  return value
}

export function oneOf<T extends string>(f: Fields, name: string, known: readonly T[]): T {
  const value = text(f, name)
  const found = known.find((k) => k === value)
  if (found === undefined) throw new Malformed(`${name} is unknown: ${value}`)
  return found
}
