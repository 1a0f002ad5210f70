// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go in a virtual list are no rows of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: a table is read, its heads hold buttons
import clsx from 'clsx'
import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs'
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs'
import { memo, useMemo, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { useKept, useKeptFlags } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { BlockFrame } from './BlockFrame'
import { fewLines, ShowAll } from './Lines'
import { type Cell, type Column, cellsOf, columnsOf, sortRows, tsv } from './tableData'

/** More rows than this are drawn only where they are looked at. */
const manyRows = 100
const headHeight = 28

interface Props {
  columns: string[]
  /** Cells are JSON texts. */
  rows: string[][]
  raw: string
}

/** Rows under columns, sorted by a press on a head; Copy gives them as they are sorted. */
export function TableBlock({ columns: names, rows, raw }: Props) {
  const cells = useMemo(() => cellsOf(names, rows), [names, rows])
  const columns = useMemo(() => columnsOf(names, cells), [names, cells])
  const flags = useKeptFlags()
  const by = names.findIndex((_, column) => flags.get(`by:${column}`))
  const down = flags.get('down') ?? false
  const sorted = useMemo(() => (by < 0 ? cells : sortRows(cells, by, down)), [cells, by, down])
  const text = useMemo(() => tsv(names, sorted), [names, sorted])
  const press = (column: number) => {
    flags.set('down', column === by && !down)
    if (by >= 0) flags.set(`by:${by}`, false)
    // The third press brings back the order it came in.
    flags.set(`by:${column}`, column !== by || !down)
  }
  return (
    <BlockFrame
      title="Table"
      meta={`${counted(rows.length, 'row')} × ${counted(names.length, 'column')}`}
      copyText={text}
      file={{ name: 'table.tsv' }}
      raw={raw}
    >
      {(full) => <Table columns={columns} rows={sorted} by={by} down={down} full={full} onPress={press} />}
    </BlockFrame>
  )
}

interface TableProps {
  columns: Column[]
  rows: Cell[][]
  by: number
  down: boolean
  full: boolean
  onPress: (column: number) => void
}

function Table({ columns, rows, by, down, full, onPress }: TableProps) {
  const [all, setAll] = useKept('all', false)
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const cut = !full && !all && rows.length > fewLines + 1
  const shown = cut ? rows.slice(0, fewLines) : rows
  useSought((wanted) => {
    const hit = rows.findIndex((cells) => cells.some(({ text }) => holds(text, wanted)))
    const hidden = hit >= shown.length
    if (hidden) setAll(true)
    else if (hit >= 0) list.current?.scrollToIndex(hit, { align: 'center' })
    return !hidden
  })
  // All rows share one width, and so one layout of columns.
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  const template = columns.map(({ width }) => `minmax(calc(${width}ch + 24px), ${width}fr)`).join(' ')
  const row = (cells: Cell[], index: number) => (
    <Row key={index} cells={cells} index={index} columns={columns} template={template} />
  )
  return (
    <>
      <div
        ref={scroller}
        role="table"
        aria-label="Table"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        tabIndex={0}
        className="overflow-auto font-mono text-code"
        style={{ maxHeight: full ? '70dvh' : 420 }}
      >
        <div style={{ minWidth: `calc(${width}ch + ${columns.length * 24}px)` }}>
          <div role="rowgroup" className="sticky top-0 z-10 bg-raised">
            <div role="row" aria-rowindex={1} className="grid" style={{ gridTemplateColumns: template }}>
              {columns.map(({ name, numbers }, column) => (
                <div
                  key={column}
                  role="columnheader"
                  aria-sort={column === by ? (down ? 'descending' : 'ascending') : 'none'}
                >
                  <button
                    type="button"
                    className={clsx(
                      'flex h-7 w-full items-center gap-1 px-3 font-semibold hover:text-accent',
                      numbers && 'flex-row-reverse',
                    )}
                    onClick={() => onPress(column)}
                  >
                    <span className="truncate">
                      <Verbatim text={name} />
                    </span>
                    {column === by && <Icon node={down ? ArrowDown : ArrowUp} size={12} />}
                  </button>
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup">
            {shown.length > manyRows ? (
              <Virtualizer ref={list} data={shown} scrollRef={scroller} startMargin={headHeight}>
                {row}
              </Virtualizer>
            ) : (
              shown.map(row)
            )}
          </div>
        </div>
      </div>
      {cut && <ShowAll what={counted(rows.length, 'row')} onShow={() => setAll(true)} />}
    </>
  )
}

interface RowProps {
  cells: Cell[]
  index: number
  columns: Column[]
  template: string
}

const Row = memo(function Row({ cells, index, columns, template }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="grid border-t border-border"
      style={{ gridTemplateColumns: template }}
    >
      {cells.map(({ text, number }, column) => (
        <div
          key={column}
          role="cell"
          className={clsx('min-w-0 px-3 py-1 break-spaces', number && 'tnum', columns[column]?.numbers && 'text-right')}
        >
          <Verbatim text={text} />
        </div>
      ))}
    </div>
  )
})
