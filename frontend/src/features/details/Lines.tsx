import clsx from 'clsx'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { VList, type VListHandle } from 'virtua'
import { counted, size } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { beginningOf, pieceOf, screenLines } from './screenLines'

/** How many lines a block shows before it is asked for all. */
export const fewLines = 12
/** More lines than this are drawn only where they are looked at. */
const manyLines = 400
/** A line's height in px, of text-code. */
const lineHeight = 18

interface Props<L> {
  lines: readonly L[]
  draw: (line: L, index: number) => ReactNode
  /** What a line says, for a search. */
  textOf: (line: L) => string
  /** Show all of it at once. */
  full?: boolean
  /** Show the last lines, not the first, while not all are shown. */
  tail?: boolean
  /** Gives a part of a line; without it lines do not wrap, or little. */
  cutLine?: (line: L, from: number, to: number) => L
  /** More lines than this are drawn only where they are looked at. */
  many?: number
  /** What the button says that shows all. */
  allOf?: string
  /** A line to scroll to at first. */
  show?: number
  /** Of the box the lines stand in. */
  className?: string
}

/** Lines of text: the first that fill twelve on the screen, all when asked, virtual when there are many. */
export function Lines<L>({
  lines,
  draw,
  textOf,
  full,
  tail,
  cutLine,
  many = manyLines,
  allOf,
  show,
  className,
}: Props<L>) {
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [all, setAll] = useKept('all', false)
  const cutting = !full && !all
  const beginning = useMemo(() => {
    if (!cutting) return undefined
    // Counted are the units of the text: what a mark stands for is wider, which the box's height holds to.
    const lengthOf = (line: L) => (cutLine ? textOf(line).length : 0)
    return beginningOf(lines, fewLines, { lengthOf, cutLine: cutLine ?? itself, tail })
  }, [cutting, lines, textOf, cutLine, tail])
  const cut = beginning !== undefined
  const shown = beginning ?? lines
  const from = cut && tail ? lines.length - shown.length : 0
  useEffect(() => {
    if (show === undefined) return
    list.current?.scrollToIndex(show, { align: 'center' })
    box.current?.children[show]?.scrollIntoView({ block: 'center' })
  }, [show])
  useSought((wanted) => {
    const hit = lines.findIndex((line) => holds(textOf(line), wanted))
    if (hit < 0) return false
    const there = shown[hit - from]
    const hidden = there === undefined || !holds(textOf(there), wanted)
    if (hidden) setAll(true)
    else list.current?.scrollToIndex(hit, { align: 'center' })
    return !hidden
  })
  const room = Math.min(shown.length * lineHeight, 10_000)
  return (
    <>
      {shown.length > many ? (
        <VList
          ref={list}
          data={shown}
          style={{ height: full ? `min(70dvh, ${room / 16}rem)` : 420 }}
          className={clsx('font-mono text-code', className)}
          tabIndex={0}
        >
          {(line, index) => <div key={index}>{draw(line, index)}</div>}
        </VList>
      ) : (
        <div
          ref={box}
          className={clsx(
            'font-mono text-code',
            cut && cutLine ? 'flex flex-col overflow-hidden' : 'overflow-x-auto',
            tail && 'justify-end',
            className,
          )}
          style={cut && cutLine ? { maxHeight: (fewLines + 1) * lineHeight } : undefined}
        >
          {shown.map((line, index) => (
            <div key={from + index}>{draw(line, from + index)}</div>
          ))}
        </div>
      )}
      {cut && <ShowAll what={allOf ?? counted(lines.length, 'line')} onShow={() => setAll(true)} />}
    </>
  )
}

/** The button under a block that shows the rest of it. */
export function ShowAll({ what, onShow }: { what: string; onShow: () => void }) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="flex h-7 w-full items-center gap-1 border-t border-border px-3 text-small text-muted hover:bg-raised hover:text-text"
    >
      <Icon node={ChevronDown} size={14} />
      Show all {what}
    </button>
  )
}

interface PlainProps {
  text: string
  full?: boolean
  tail?: boolean
  /** Of the box the lines stand in. */
  className?: string
}

/** Plain text by lines, wrapped, with what would not be seen marked. */
export function PlainLines({ text, full, tail, className = 'py-2' }: PlainProps) {
  const { lines, whole } = useMemo(() => screenLines(text), [text])
  return (
    <Lines
      className={className}
      lines={lines}
      full={full}
      tail={tail}
      cutLine={pieceOf}
      allOf={allOf(text, whole)}
      textOf={itself}
      draw={(line) => <pre className="px-3 break-spaces">{line ? <Verbatim text={line} /> : ' '}</pre>}
    />
  )
}

/** What a line of text says. */
export const itself = <L,>(line: L) => line

/** What there is to show of a text: its lines where they are many, else its size. */
export function allOf(text: string, lines: number): string {
  return lines > fewLines + 1 ? counted(lines, 'line') : size(text.length)
}
