import clsx from 'clsx'
import { useMemo } from 'react'
import { Tokens } from '../../highlight/Tokens'
import { useHighlighter } from '../../highlight/useHighlighter'
import { Verbatim } from '../../ui/Verbatim'
import { allOf, itself, Lines } from './Lines'
import { pieceOf, screenLines } from './screenLines'

interface Props {
  text: string
  /** A name that highlight/languages.ts gave. */
  language?: string
  /** The number of the first line; without one the lines have none. */
  from?: number
  /** The number of a line that stands out and is scrolled to. */
  marked?: number
  full?: boolean
}

/** Code by lines in its colours. */
export function Code({ text, language, from, marked, full }: Props) {
  const { lines, whole } = useMemo(() => screenLines(text), [text])
  const pieces = lines.length !== whole
  const highlighter = useHighlighter(lines, pieces ? undefined : language)
  const numbered = from !== undefined && !pieces
  // So wide that the last number fits.
  const width = `${String((from ?? 1) + lines.length).length + 2}ch`
  return (
    <Lines
      className="py-2"
      lines={lines}
      full={full}
      cutLine={pieceOf}
      textOf={itself}
      allOf={allOf(text, whole)}
      show={numbered && marked !== undefined ? marked - from : undefined}
      draw={(line, index) => {
        const number = (from ?? 1) + index
        const tokens = highlighter?.line(index)
        return (
          <div className={clsx('flex min-w-0', numbered && number === marked && 'bg-raised')}>
            {numbered && (
              <span className="tnum shrink-0 pr-3 text-right text-faint select-none" style={{ width }}>
                {number}
              </span>
            )}
            <code className="min-w-0 flex-1 pr-3 break-spaces not-first:pl-0 first:pl-3">
              {tokens && tokens.length > 0 ? <Tokens tokens={tokens} /> : line ? <Verbatim text={line} /> : ' '}
            </code>
          </div>
        )
      }}
    />
  )
}
