import { visiblePieces } from '../protocol/text'

/** Text as it is, with characters that hide or reorder something drawn as their codes. */
export function Verbatim({ text }: { text: string }) {
  const parts = visiblePieces(text)
  if (!parts.some((part) => part.mark)) return text
  return parts.map((part, index) =>
    part.mark ? (
      <mark key={index} className="escaped" title="Drawn as its code: it would not be seen as it is">
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  )
}
