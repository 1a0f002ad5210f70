import type { Hit } from '../../transport/search'

/** Hits of one thread that stand together, with their places among all. */
export interface HitGroup {
  threadId: string
  title: string
  /** The place of its first hit. */
  first: number
  hits: readonly Hit[]
}

/**
 * The hits of a page with those of one thread together, that of after first, else the one with the newest hit. Only a page is brought
 * into order: what is found later never moves what is there.
 */
export function gather(page: readonly Hit[], after: string | undefined): Hit[] {
  const threads = new Map<string, Hit[]>(after === undefined ? [] : [[after, []]])
  for (const hit of page) {
    const of = threads.get(hit.threadId)
    if (of) of.push(hit)
    else threads.set(hit.threadId, [hit])
  }
  return [...threads.values()].flat()
}

/** The hits by their threads, as they stand. */
export function groupHits(hits: readonly Hit[]): HitGroup[] {
  const groups: (HitGroup & { hits: Hit[] })[] = []
  for (const [index, hit] of hits.entries()) {
    const last = groups.at(-1)
    if (last?.threadId === hit.threadId) last.hits.push(hit)
    else groups.push({ threadId: hit.threadId, title: hit.threadTitle, first: index, hits: [hit] })
  }
  return groups
}

/** What a hit is told by among all. */
export function hitKey({ runId, seq, kind, itemId = '' }: Pick<Hit, 'runId' | 'seq' | 'kind' | 'itemId'>): string {
  return `${runId}/${seq}/${kind}/${itemId}`
}

/** A piece of a snippet. */
export interface Piece {
  text: string
  marked: boolean
}

/** A snippet cut at its marks. */
export function piecesOf({ snippet, marks }: Pick<Hit, 'snippet' | 'marks'>): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const add = (to: number, marked: boolean) => {
    if (to > at) pieces.push({ text: snippet.slice(at, to), marked })
    at = Math.max(at, to)
  }
  for (const { start, end } of marks) {
    add(start, false)
    add(end, true)
  }
  add(snippet.length, false)
  return pieces
}
