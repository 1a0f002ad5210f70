import type { DiffLine, FileDiff } from './diff'

/** A row of a drawn diff. */
export type DiffRow =
  | { kind: 'line'; line: DiffLine }
  | { kind: 'pair'; left?: DiffLine; right?: DiffLine }
  | { kind: 'gap'; lines: number; heading: string }
  | { kind: 'fold'; at: number; lines: DiffLine[] }

/** Unchanged lines that stay beside a change when a longer stretch of them is folded. */
const kept = 3
const foldFrom = 2 * kept + 4

/** Whether the unchanged lines that are folded at a place are shown. */
export type Expanded = (at: number) => boolean

/** The diff with both sides in one column. */
export function unifiedRows(file: FileDiff, expanded: Expanded): DiffRow[] {
  return rows(file, expanded, (lines) => lines.map((line) => ({ kind: 'line', line })))
}

/** The diff with the old side on the left and the new one on the right. */
export function splitRows(file: FileDiff, expanded: Expanded): DiffRow[] {
  return rows(file, expanded, pairs)
}

function rows(file: FileDiff, expanded: Expanded, draw: (lines: DiffLine[]) => DiffRow[]): DiffRow[] {
  const out: DiffRow[] = []
  let place = 0
  for (const hunk of file.hunks) {
    if (hunk.skipped > 0 || hunk.heading) out.push({ kind: 'gap', lines: hunk.skipped, heading: hunk.heading })
    for (let i = 0; i < hunk.lines.length; ) {
      const context = stretch(hunk.lines, i)
      const lines = hunk.lines.slice(i, i + context.length)
      if (context.same && lines.length >= foldFrom && !expanded(place)) {
        out.push(...draw(lines.slice(0, kept)))
        out.push({ kind: 'fold', at: place, lines: lines.slice(kept, -kept) })
        out.push(...draw(lines.slice(-kept)))
      } else {
        out.push(...draw(lines))
      }
      place++
      i += context.length
    }
  }
  return out
}

function stretch(lines: DiffLine[], from: number): { same: boolean; length: number } {
  const same = lines[from]?.kind === 'context'
  let to = from + 1
  while (to < lines.length && (lines[to]?.kind === 'context') === same) to++
  return { same, length: to - from }
}

function pairs(lines: DiffLine[]): DiffRow[] {
  const out: DiffRow[] = []
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]
    if (line?.kind === 'context') {
      out.push({ kind: 'pair', left: line, right: line })
      i++
      continue
    }
    const removed = take(lines, i, 'del')
    const added = take(lines, i + removed.length, 'add')
    for (let k = 0; k < Math.max(removed.length, added.length); k++) {
      out.push({ kind: 'pair', left: removed[k], right: added[k] })
    }
    i += removed.length + added.length
  }
  return out
}

function take(lines: DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let to = from
  while (lines[to]?.kind === kind) to++
  return lines.slice(from, to)
}
