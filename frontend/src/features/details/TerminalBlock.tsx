import clsx from 'clsx'
import { type CSSProperties, useMemo } from 'react'
import { Verbatim } from '../../ui/Verbatim'
import { type Span, terminalLines } from './ansi'
import { allOf, Lines, PlainLines } from './Lines'
import { pieceOf } from './screenLines'

/** Terminal text with its colours. tail shows its end first. */
export function Terminal({ text, full, tail }: { text: string; full?: boolean; tail?: boolean }) {
  const lines = useMemo(() => terminalLines(text), [text])
  if (lines.every((line) => line.length === 0)) return <PlainLines text="(empty)" />
  return (
    <Lines
      className="py-2"
      lines={lines}
      full={full}
      tail={tail}
      textOf={textOf}
      cutLine={cutSpans}
      allOf={allOf(text, lines.length)}
      draw={(spans) => <Line spans={spans} />}
    />
  )
}

const textOf = (spans: Span[]) => spans.map(({ text }) => text).join('')

function cutSpans(spans: Span[], from: number, to: number): Span[] {
  let at = 0
  return spans.flatMap((span) => {
    const begin = at
    at += span.text.length
    const text = pieceOf(span.text, Math.max(0, from - begin), Math.max(0, to - begin))
    return text ? { ...span, text } : []
  })
}

function Line({ spans }: { spans: Span[] }) {
  return (
    <pre className="px-3 break-spaces">
      {spans.length === 0
        ? ' '
        : spans.map((span, index) => (
            <span
              key={index}
              className={clsx(
                span.bold && 'font-semibold',
                span.dim && 'opacity-70',
                span.italic && 'italic',
                span.underline && 'underline',
              )}
              style={styleOf(span)}
            >
              <Verbatim text={span.text} />
            </span>
          ))}
    </pre>
  )
}

function styleOf(span: Span): CSSProperties | undefined {
  const background = span.inverse ? (css(span.color) ?? 'var(--text)') : css(span.background)
  // The sixteen colours can be read on the theme's ground; as a ground themselves they ask for its opposite.
  const plain = background ? 'var(--on-accent)' : undefined
  const chosen = span.inverse ? span.background : span.color
  const color = (background ? css(chosen) : readable(chosen)) ?? plain
  return color || background ? { color, background } : undefined
}

/** A colour of text on the theme's ground. Of one a program mixed itself so much is left that it can be read on both. */
function readable(color: number | string | undefined): string | undefined {
  return typeof color === 'string' ? `color-mix(in srgb, ${color} 40%, var(--text))` : css(color)
}

/** The sixteen colours come from the theme, so that they can be read on it. */
function css(color: number | string | undefined): string | undefined {
  return typeof color === 'number' ? `var(--ansi-${color})` : color
}
