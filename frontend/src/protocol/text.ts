/** A stretch of text for the screen: as it is, or a mark in place of what could not be seen. */
export interface TextPiece {
  text: string
  mark: boolean
}

/**
 * What hides or reorders text: control characters but tab and line feed, format characters (zero widths, directions, tags), fillers,
 * line and paragraph separators, spaces other than the common one, lone surrogates; a carriage return unless a line feed follows.
 */
const hidden = /(?!\t|\n|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u

/** Emoji, with the joiners and variations that are seen as part of them. */
const emoji =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|[#*\d]\ufe0f?\u20e3/u

/** So much white space in a row pushes what follows out of sight. */
const gap = / {64,}|\t{16,}|(?:\r?\n){24,}/u

/** What of a text is looked at: all that is marked, and emoji, which are not. */
export const hidingPattern = new RegExp(`(${emoji.source})|(${gap.source})|(${hidden.source})`, 'gu')

/** Cuts a text into what can be shown as it is and marks for what is invisible, reorders, or hides what follows. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const match of text.matchAll(hidingPattern)) {
    const [found, seen, white] = match
    if (seen !== undefined) continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), mark: false })
    pieces.push({ text: white === undefined ? escaped(found) : nameGap(found), mark: true })
    from = match.index + found.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), mark: false })
  return pieces
}

/** A text with its marks in place. */
export function escapeInvisible(text: string): string {
  return visiblePieces(text)
    .map((piece) => piece.text)
    .join('')
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

function nameGap(white: string): string {
  if (white[0] === ' ') return `⟨${white.length} spaces⟩`
  if (white[0] === '\t') return `⟨${white.length} tabs⟩`
  return `⟨${white.split('\n').length - 1} empty lines⟩`
}
