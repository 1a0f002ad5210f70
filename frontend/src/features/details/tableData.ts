import { isExact, isJsonError, parseJson, stringValue } from '../../protocol/json'

/** A cell: its JSON text as it is read. A string stands without its quotes, anything else as it was written. */
export interface Cell {
  text: string
  number: boolean
}

/** A column: how wide it is, in characters, and whether all in it are numbers. */
export interface Column {
  name: string
  width: number
  numbers: boolean
}

const [narrow, wide] = [4, 48]

/** The cell of a JSON text. */
export function cellOf(json: string): Cell {
  const node = parseJson(json)
  if (isJsonError(node)) return { text: json, number: false }
  return node.kind === 'string'
    ? { text: stringValue(node.text), number: false }
    : { text: node.text, number: node.kind === 'number' }
}

/** The cells of rows, each with one for every column. */
export function cellsOf(columns: readonly string[], rows: readonly string[][]): Cell[][] {
  const none = { text: '', number: false }
  return rows.map((row) => columns.map((_, column) => (row[column] === undefined ? none : cellOf(row[column]))))
}

export function columnsOf(names: readonly string[], cells: readonly Cell[][]): Column[] {
  return names.map((name, column) => {
    let width = name.length + 2 // room for the arrow
    let numbers = cells.length > 0
    for (const row of cells) {
      const cell = row[column]
      if (!cell) continue
      width = Math.max(width, Math.min(cell.text.length, wide))
      numbers &&= cell.number
    }
    return { name, width: Math.min(wide, Math.max(narrow, width)), numbers }
  })
}

const compareText = new Intl.Collator('en', { numeric: true }).compare

/** Rows by a column: numbers by their value and before words, words as people sort them. Equal rows keep their order. */
export function sortRows(rows: readonly Cell[][], column: number, down: boolean): Cell[][] {
  const empty = { text: '', number: false }
  const order = (a: Cell[], b: Cell[]) => compareCells(a[column] ?? empty, b[column] ?? empty)
  return rows.toSorted(down ? (a, b) => order(b, a) : order)
}

function compareCells(a: Cell, b: Cell): number {
  if (a.number && b.number) return compareNumbers(a.text, b.text)
  if (a.number !== b.number) return a.number ? -1 : 1
  return compareText(a.text, b.text)
}

function compareNumbers(a: string, b: string): number {
  const difference = Number(a) - Number(b)
  if (difference !== 0 && !Number.isNaN(difference)) return difference
  // Two that JavaScript takes for one: digits tell whole numbers of one length apart.
  const whole = /^-?\d+$/
  if (isExact(a) && isExact(b)) return 0
  if (!whole.test(a) || !whole.test(b)) return 0
  const [left, right] = [BigInt(a), BigInt(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The table as tab-separated text. */
export function tsv(columns: readonly string[], cells: readonly Cell[][]): string {
  const line = (texts: readonly string[]) => texts.map((text) => text.replace(/[\t\n\r]+/g, ' ')).join('\t')
  return [line(columns), ...cells.map((row) => line(row.map((cell) => cell.text)))].join('\n')
}
