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

/** The end of the piece that begins at from. */
function pieceEnd(line: string, from: number): number {
  return between(line, from + longLine)
}

/** A place in a text, or the one after it where that is within a character. */
function between(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}

/** A part of a line, which cuts no character. */
export function pieceOf(line: string, from: number, to: number): string {
  return line.slice(between(line, from), between(line, to))
}

/** So many characters of a line that wraps take up one on a usual screen. */
const columns = 80

interface Wrapping<L> {
  /** The length of a line in UTF-16 units. */
  lengthOf: (line: L) => number
  /** A part of a line. */
  cutLine: (line: L, from: number, to: number) => L
  /** The last lines are wanted, not the first. */
  tail?: boolean
}

/**
 * As much of lines that wrap as fills some on the screen, the last of them cut, which with tail is the first; undefined when that is
 * all of them, but for one.
 */
export function beginningOf<L>(
  lines: readonly L[],
  few: number,
  { lengthOf, cutLine, tail }: Wrapping<L>,
): L[] | undefined {
  const heightOf = (line: L) => Math.max(1, Math.ceil(lengthOf(line) / columns))
  let height = 0
  for (let i = 0; i < lines.length && height <= few + 1; i++) height += heightOf(lines[i] as L)
  if (height <= few + 1) return undefined
  const shown: L[] = []
  let left = few
  for (let i = 0; i < lines.length && left > 0; i++) {
    const line = lines[tail ? lines.length - 1 - i : i] as L
    const [length, room] = [lengthOf(line), left * columns]
    shown.push(length <= room ? line : tail ? cutLine(line, length - room, length) : cutLine(line, 0, room))
    left -= heightOf(line)
  }
  return tail ? shown.reverse() : shown
}
