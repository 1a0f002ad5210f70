/** A longer line, in UTF-16 units, is drawn in pieces: laying it out whole would hold up the page. */
const longLine = 2000

/**
 * A text's lines as they are drawn: without their ends, long ones in pieces. whole is how many lines the text has.
 */
export function screenLines(text: string): { lines: string[]; whole: number } {
  const all = text.replace(/\n$/, '').split('\n')
  const lines: string[] = []
  for (const each of all) {
    const line = each.endsWith('\r') ? each.slice(0, -1) : each
    for (let from = 0; ; ) {
      const to = pieceEnd(line, from)
      lines.push(line.slice(from, to))
      if (to >= line.length) break
      from = to
    }
  }
  return { lines, whole: all.length }
}

/** The end of the piece that begins at from: never within a character. */
function pieceEnd(line: string, from: number): number {
  const end = from + longLine
  const code = line.charCodeAt(end)
  return code >= 0xdc00 && code <= 0xdfff ? end + 1 : end
}
