import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs'
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs'
import { useMemo, useState } from 'react'
import { isJsonError, parseJson, stringValue } from '../../protocol/json'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { fewLines } from './Lines'

const page = 200

interface Sort {
  column: number
  down: boolean
}

/** A cell's JSON text as it is read: a string without its quotes, anything else as it was written. */
export function cellText(json: string): string {
  const node = parseJson(json)
  return !isJsonError(node) && node.kind === 'string' ? stringValue(node.text) : json
}

/** The table as tab-separated text. */
export function tsv(columns: string[], rows: string[][]): string {
  const line = (cells: string[]) => cells.map((cell) => cell.replace(/[\t\n\r]+/g, ' ')).join('\t')
  return [line(columns), ...rows.map((row) => line(row.map(cellText)))].join('\n')
}

/** Rows and columns, sorted by a press on a head. */
export function Table({ columns, rows, full }: { columns: string[]; rows: string[][]; full?: boolean }) {
  const [sort, setSort] = useState<Sort>()
  const [shown, setShown] = useState(full ? page : fewLines)
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort])
  const press = (column: number) =>
    setSort(sort?.column === column ? { column, down: !sort.down } : { column, down: false })
  return (
    <>
      <div className="overflow-auto" style={{ maxHeight: full ? '70dvh' : 420 }}>
        <table className="w-full border-collapse text-left font-mono text-code">
          <thead className="sticky top-0 bg-raised">
            <tr>
              {columns.map((column, index) => (
                <th
                  key={index}
                  aria-sort={sort?.column === index ? (sort.down ? 'descending' : 'ascending') : 'none'}
                  className="p-0 font-semibold"
                >
                  <button
                    type="button"
                    className="flex w-full items-center gap-1 px-3 py-1 hover:text-accent"
                    onClick={() => press(index)}
                  >
                    <Verbatim text={column} />
                    {sort?.column === index && <Icon node={sort.down ? ArrowDown : ArrowUp} size={12} />}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map((row, index) => (
              <tr key={index} className="border-t border-border">
                {columns.map((_, column) => (
                  <td key={column} className="max-w-md px-3 py-1 align-top break-spaces">
                    <Verbatim text={cellText(row[column] ?? '""')} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown < rows.length && (
        <button
          type="button"
          className="h-7 w-full border-t border-border px-3 text-left text-small text-muted hover:bg-raised hover:text-text"
          onClick={() => setShown(shown < page ? page : shown + page)}
        >
          Show {rows.length <= page ? `all ${counted(rows.length, 'row')}` : `more of ${counted(rows.length, 'row')}`}
        </button>
      )}
    </>
  )
}

const byText = new Intl.Collator('en', { numeric: true }).compare

function sortRows(rows: string[][], sort: Sort | undefined): string[][] {
  if (!sort) return rows
  const sorted = rows.toSorted((a, b) => byText(cellText(a[sort.column] ?? ''), cellText(b[sort.column] ?? '')))
  return sort.down ? sorted.reverse() : sorted
}
