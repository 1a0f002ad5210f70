import { diffWordsWithSpace } from 'diff'

/** A stretch of a changed line; strong is what really changed. */
export interface Part {
  text: string
  strong: boolean
}

export interface DiffLine {
  kind: 'context' | 'add' | 'del'
  /** Line numbers, from 1. */
  before?: number
  after?: number
  parts: Part[]
}

export interface Hunk {
  /** What stands behind the second @@: mostly the function. */
  heading: string
  /** Unchanged lines between the hunk before, or the file's start, and this one. */
  skipped: number
  lines: DiffLine[]
}

export interface FileDiff {
  path: string
  hunks: Hunk[]
  added: number
  removed: number
}

const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@ ?(.*)$/

/** Reads a unified diff of one or more files. Lines that belong to no hunk are left out. */
export function readDiff(text: string): FileDiff[] {
  const files: FileDiff[] = []
  let file: FileDiff | undefined
  let hunk: Hunk | undefined
  let before = 0
  let after = 0
  let left = 0
  const lines = text.replace(/\n$/, '').split('\n')
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? ''
    if (left <= 0 && line.startsWith('--- ') && next.startsWith('+++ ')) {
      file = { path: pathOf(line, next), hunks: [], added: 0, removed: 0 }
      files.push(file)
      hunk = undefined
      continue
    }
    const head = range.exec(line)
    if (head) {
      file ??= addFile(files)
      const start = Number(head[1])
      hunk = { heading: head[4] ?? '', skipped: Math.max(0, start - Math.max(1, before || 1)), lines: [] }
      file.hunks.push(hunk)
      before = start
      after = Number(head[3])
      left = Number(head[2] ?? 1)
      continue
    }
    if (!file || !hunk) continue
    const content = [{ text: line.slice(1), strong: false }]
    if (line.startsWith('+')) {
      hunk.lines.push({ kind: 'add', after: after++, parts: content })
      file.added++
    } else if (line.startsWith('-')) {
      hunk.lines.push({ kind: 'del', before: before++, parts: content })
      file.removed++
      left--
    } else if (line.startsWith(' ') || line === '') {
      hunk.lines.push({ kind: 'context', before: before++, after: after++, parts: content })
      left--
    }
  }
  for (const each of files) for (const of of each.hunks) markWords(of.lines)
  return files
}

function addFile(files: FileDiff[]): FileDiff {
  const file = { path: '', hunks: [], added: 0, removed: 0 }
  files.push(file)
  return file
}

function pathOf(before: string, after: string): string {
  const name = (line: string) =>
    line
      .slice(4)
      .split('\t')[0]
      ?.replace(/^[ab]\//, '') ?? ''
  const path = name(after)
  return path === '/dev/null' ? name(before) : path
}

const longest = 400

/** Marks the words that differ where as many lines were removed as were added in their place. */
function markWords(lines: DiffLine[]): void {
  for (let i = 0; i < lines.length; ) {
    const removed = stretch(lines, i, 'del')
    const added = stretch(lines, i + removed, 'add')
    for (let k = 0; removed === added && k < removed; k++) {
      const old = lines[i + k]
      const now = lines[i + removed + k]
      if (old && now) markPair(old, now)
    }
    i += removed + added || 1
  }
}

function stretch(lines: DiffLine[], from: number, kind: DiffLine['kind']): number {
  let n = 0
  while (lines[from + n]?.kind === kind) n++
  return n
}

function markPair(old: DiffLine, now: DiffLine): void {
  const before = old.parts[0]?.text ?? ''
  const after = now.parts[0]?.text ?? ''
  if (before.length > longest || after.length > longest) return
  const changes = diffWordsWithSpace(before, after)
  const same = changes.reduce((n, c) => n + (c.added || c.removed ? 0 : c.value.trim().length), 0)
  if (same * 3 < Math.max(before.trim().length, after.trim().length)) return // too different for marks to help
  old.parts = changes.filter((c) => !c.added).map((c) => ({ text: c.value, strong: Boolean(c.removed) }))
  now.parts = changes.filter((c) => !c.removed).map((c) => ({ text: c.value, strong: Boolean(c.added) }))
}
