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
import { screenLines } from './screenLines'

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
  /** How many lines are few; twelve when absent. */
  few?: number
  /** More lines than this are drawn only where they are looked at. */
  many?: number
  /** What the button says that shows all. */
  allOf?: string
  /** A line to scroll to at first. */
  show?: number
  /** Of the box the lines stand in. */
  className?: string
}

/** Lines of text: the first twelve, all when asked, virtual when there are many. */
export function Lines<L>({
  lines,
  draw,
  textOf,
  full,
  tail,
  few = fewLines,
  many = manyLines,
  allOf,
  show,
  className,
}: Props<L>) {
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [all, setAll] = useKept('all', false)
  // One more line takes no more room than the button that shows it.
  const cut = !full && !all && (lines.length > few + 1 || (few < fewLines && lines.length > few))
  const from = cut && tail ? lines.length - few : 0
  const shown = cut ? lines.slice(from, from + few) : lines
  useEffect(() => {
    if (show === undefined) return
    list.current?.scrollToIndex(show, { align: 'center' })
    box.current?.children[show]?.scrollIntoView({ block: 'center' })
  }, [show])
  useSought((wanted) => {
    const hit = lines.findIndex((line) => holds(textOf(line), wanted))
    if (hit < 0) return false
    const hidden = hit < from || hit >= from + shown.length
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
        <div ref={box} className={clsx('overflow-x-auto font-mono text-code', className)}>
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
      few={fewOf(tail ? lines.slice(-fewLines).reverse() : lines)}
      allOf={lines.length === whole ? undefined : size(text.length)}
      textOf={itself}
      draw={(line) => <pre className="px-3 break-spaces">{line ? <Verbatim text={line} /> : ' '}</pre>}
    />
  )
}

/** What a line of text says. */
export const itself = (line: string) => line

/** So many characters are as much as twelve lines should be. */
const fewCharacters = 4000

/** How many of the first lines a block shows: fewer when they are long. */
export function fewOf(lines: readonly string[]): number {
  let characters = 0
  let n = 0
  for (; n < Math.min(fewLines, lines.length); n++) {
    characters += lines[n]?.length ?? 0
    if (characters > fewCharacters) break
  }
  return n === lines.length ? fewLines : Math.max(1, n)
}
