/** The raw JSON texts of the members of an object that have the given names. Of a name that repeats, the last, as JSON.parse takes it. */
export function rawMembers<K extends string>(_text: string, _names: readonly K[]): Partial<Record<K, string>> {
  return {}
}

/** The raw JSON texts of the elements of an array. */
export function elements(_text: string): string[] {
  return []
}
