import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import type { ReactNode } from 'react'
import { VList } from 'virtua'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'

/** How many lines a block shows before it is asked for all. */
export const fewLines = 12
/** More lines than this are drawn only where they are looked at. */
const manyLines = 400

interface Props<L> {
  lines: readonly L[]
  draw: (line: L, index: number) => ReactNode
  /** Show all of it at once. */
  full?: boolean
  /** Show the last lines, not the first, while not all are shown. */
  tail?: boolean
}

/** Lines of text: the first twelve, all when asked, virtual when there are many. */
export function Lines<L>({ lines, draw, full, tail }: Props<L>) {
  const [all, setAll] = useKept('all', false)
  // One more line takes no more room than the button that shows it.
  const cut = !full && !all && lines.length > fewLines + 1
  const from = cut && tail ? lines.length - fewLines : 0
  const shown = cut ? lines.slice(from, from + fewLines) : lines
  return (
    <>
      {shown.length > manyLines ? (
        <VList data={shown} style={{ height: full ? '70dvh' : 420 }} className="font-mono text-code">
          {(line, index) => <div key={index}>{draw(line, index)}</div>}
        </VList>
      ) : (
        <div className="overflow-x-auto font-mono text-code">
          {shown.map((line, index) => (
            <div key={from + index}>{draw(line, from + index)}</div>
          ))}
        </div>
      )}
      {cut && (
        <button
          type="button"
          onClick={() => setAll(true)}
          className="flex h-7 w-full items-center gap-1 border-t border-border px-3 text-small text-muted hover:bg-raised hover:text-text"
        >
          <Icon node={ChevronDown} size={14} />
          Show all {counted(lines.length, 'line')}
        </button>
      )}
    </>
  )
}

/** Plain text by lines, wrapped, with what would not be seen marked. */
export function PlainLines({ text, full, tail }: { text: string; full?: boolean; tail?: boolean }) {
  const lines = text.replace(/\n$/, '').split('\n')
  return (
    <div className="py-2">
      <Lines
        lines={lines}
        full={full}
        tail={tail}
        draw={(line) => (
          <pre className="px-3 break-spaces">
            {line ? <Verbatim text={line.endsWith('\r') ? line.slice(0, -1) : line} /> : ' '}
          </pre>
        )}
      />
    </div>
  )
}
