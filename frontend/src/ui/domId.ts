/** A key as part of an element's id: ids in a list of references are set apart by spaces. */
export function domId(key: string): string {
  return key.replace(/\s/g, '_')
}
