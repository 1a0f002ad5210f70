/** What finds a text wherever it stands, in capitals or not; undefined of an empty one. */
export function pattern(query: string): RegExp | undefined {
  return query ? new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu') : undefined
}

/** Whether a text has what is wanted, as it is written or, where it is JSON, as it is drawn. An image's bytes are no text. */
export function holds(text: string | undefined, wanted: RegExp): boolean {
  if (!text) return false
  const shown = text.includes(';base64,') ? text.replace(/;base64,[A-Za-z0-9+/=]+/g, ';base64,') : text
  if (shown.search(wanted) >= 0) return true
  return shown.includes('\\') && unescaped(shown).search(wanted) >= 0
}

const signs: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** JSON text with its escapes as the characters they stand for, as they are drawn. */
function unescaped(json: string): string {
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (signs[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
