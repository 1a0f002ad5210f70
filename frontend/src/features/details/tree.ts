import { items, type JsonNode, members } from '../../protocol/json'

/** A line of a drawn JSON tree. */
export interface TreeRow {
  /** Where the value stands: the places of its ancestors and its own, joined by dots. */
  path: string
  depth: number
  kind: 'leaf' | 'open' | 'closed' | 'end'
  /** With its quotes, as it was written. */
  keyText?: string
  mark?: 'duplicate key' | 'differs only in case'
  value: JsonNode
}

interface Child {
  keyText?: string
  mark?: TreeRow['mark']
  value: JsonNode
}

/** Branches with so few children, no deeper than this, begin open until so many lines stand. */
const fewChildren = 8
const openDepth = 3
const openLines = 60

/** A JSON value as lines. What is in a branch is read when it is opened, and once. */
export class Tree {
  readonly root: JsonNode
  readonly #children = new Map<string, Child[]>()
  /** How each branch began; a later look begins it the same way. */
  readonly #began = new Map<string, boolean>()

  constructor(root: JsonNode) {
    this.root = root
  }

  /** How many members or items the value at a path has. */
  size(path: string, value: JsonNode): number {
    return this.#childrenOf(path, value).length
  }

  /** The lines of the tree. chosen says what its reader opened or closed. */
  rows(chosen: (path: string) => boolean | undefined): TreeRow[] {
    const out: TreeRow[] = []
    // A stack of its own: a value may be nested deeper than calls can be.
    const work: (TreeRow | { path: string; depth: number; child: Child })[] = [
      { path: '', depth: 0, child: { value: this.root } },
    ]
    for (let next = work.pop(); next; next = work.pop()) {
      if (!('child' in next)) {
        out.push(next)
        continue
      }
      const { path, depth, child } = next
      const row: TreeRow = { path, depth, kind: 'leaf', ...child }
      out.push(row)
      if (!isBranch(child.value) || this.size(path, child.value) === 0) continue
      if (!(chosen(path) ?? this.#begin(path, depth, child.value, out.length))) {
        row.kind = 'closed'
        continue
      }
      row.kind = 'open'
      work.push({ path, depth, kind: 'end', value: child.value })
      const inside = this.#childrenOf(path, child.value)
      for (let i = inside.length - 1; i >= 0; i--) {
        const each = inside[i]
        if (each) work.push({ path: childPath(path, i), depth: depth + 1, child: each })
      }
    }
    return out
  }

  /** The paths of the branches whose text holds something, each after the one it stands in, up to a number of them. */
  holding(holds: (text: string) => boolean, most = 100): string[] {
    const out: string[] = []
    const work: { path: string; value: JsonNode }[] = [{ path: '', value: this.root }]
    for (let next = work.pop(); next && out.length < most; next = work.pop()) {
      const { path, value } = next
      if (!isBranch(value) || !holds(value.text)) continue
      out.push(path)
      const inside = this.#childrenOf(path, value)
      for (let i = inside.length - 1; i >= 0; i--) {
        const each = inside[i]
        if (each) work.push({ path: childPath(path, i), value: each.value })
      }
    }
    return out
  }

  #begin(path: string, depth: number, value: JsonNode, lines: number): boolean {
    const before = this.#began.get(path)
    if (before !== undefined) return before
    const open = depth === 0 || (depth < openDepth && lines < openLines && this.size(path, value) <= fewChildren)
    this.#began.set(path, open)
    return open
  }

  #childrenOf(path: string, value: JsonNode): Child[] {
    let found = this.#children.get(path)
    if (!found) {
      found = childrenOf(value)
      this.#children.set(path, found)
    }
    return found
  }
}

function childPath(path: string, i: number): string {
  return path ? `${path}.${i}` : String(i)
}

function isBranch({ kind }: JsonNode): boolean {
  return kind === 'object' || kind === 'array'
}

function childrenOf(value: JsonNode): Child[] {
  if (value.kind === 'array') return items(value).map((each) => ({ value: each }))
  return members(value).map(({ keyText, value: of, duplicate, caseVariant }) => ({
    keyText,
    mark: duplicate ? 'duplicate key' : caseVariant ? 'differs only in case' : undefined,
    value: of,
  }))
}
