/** A stretch of text, or with label something in it that would not be seen as it is. */
export interface Piece {
  text: string
  /** What to draw instead: "U+202E", or "64 spaces". */
  label?: string
}

/** First and last code points of what hides or reorders text: controls, format characters, fillers, tags, lone surrogates. */
const ranges: readonly [number, number][] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
]

const escaped = ranges.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')
/** One such character, or a run of spaces long enough to push what follows out of sight. */
const hidden = new RegExp(`[${escaped}]|[ \\u{a0}\\u{2000}-\\u{200a}\\u{3000}]{64,}`, 'gu')

const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u

/** Takes text apart where it holds characters that hide or reorder something. The pieces' texts joined are the text. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    const [it] = match
    const at = match.index
    if (belongs(it, text, at)) continue
    if (at > from) found.push({ text: text.slice(from, at) })
    found.push({ text: it, label: label(it) })
    from = at + it.length
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from) })
  return found
}

/** The text with every such character as its visible escape, for places that take only a string. */
export function escapeInvisible(text: string): string {
  return pieces(text)
    .map((piece) => (piece.label ? `⟨${piece.label}⟩` : piece.text))
    .join('')
}

/** A variation selector or joiner behind a pictograph is part of it; a carriage return before a line feed is a line's end. */
function belongs(it: string, text: string, at: number): boolean {
  if (it === '\r') return text[at + 1] === '\n'
  return (it === '\ufe0f' || it === '\u200d') && pictograph.test(text.slice(Math.max(0, at - 3), at))
}

function label(it: string): string {
  if (it.length >= 64) return `${it.length} spaces`
  const code = it.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
