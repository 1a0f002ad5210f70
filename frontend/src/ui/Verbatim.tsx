import { pieces } from './text'

/** Text as it is, with characters that hide or reorder something drawn as their codes. */
export function Verbatim({ text }: { text: string }) {
  const parts = pieces(text)
  if (parts.length === 1 && !parts[0]?.label) return text
  return parts.map((part, index) =>
    part.label ? (
      <mark key={index} className="escaped" title="A character that would not be seen as it is">
        {part.label}
      </mark>
    ) : (
      part.text
    ),
  )
}
