import { type Frame, time } from './events'
import type { Item, Part, Transcript } from './transcript'

/** Ids may repeat on the wire; keys may not. */
export function key(t: Transcript, kind: Item['kind'], id: string): string {
  const name = `${kind}:${id}`
  const n = (t.own.keys.get(name) ?? 0) + 1
  t.own.keys.set(name, n)
  return n === 1 ? name : `${name}#${n}`
}

export function openPart(t: Transcript, kind: Part['kind'], id: string): void {
  closePart(t)
  t.own.parts.set(`${kind}:${id}`, { items: [], ended: false })
  addPart(t, kind, id)
}

function addPart(t: Transcript, kind: Part['kind'], id: string): Part {
  const part: Part = { kind, key: key(t, kind, id), id, turn: t.own.turn, text: '', open: true }
  const name = `${kind}:${id}`
  const parts = t.own.parts.get(name)
  if (parts === undefined) t.own.parts.set(name, { items: [part], ended: false })
  else {
    t.own.watch?.changes(parts)
    parts.items.push(part)
  }
  t.items.push(part)
  t.own.open = part
  return part
}

export function closePart(t: Transcript): void {
  if (t.own.open !== undefined) t.own.open.open = false
  t.own.open = undefined
}

export function partDelta(t: Transcript, kind: Part['kind'], f: Frame, id: string, delta: string): void {
  let part = t.own.open
  if (part === undefined || part.id !== id || part.kind !== kind) {
    if (t.own.parts.get(`${kind}:${id}`)?.ended) {
      t.late.push(f)
      return
    }
    // Something came in between, or no start came: the text keeps its place in the order.
    closePart(t)
    part = addPart(t, kind, id)
  }
  pieceCame(t, f, t.own.turn)
  part.text += delta
}

/** Takes note that a piece of a turn's answer came. */
export function pieceCame(t: Transcript, f: Frame, turn: number): void {
  const entry = t.own.turns.get(turn)
  if (entry === undefined || entry.firstAt !== undefined || entry.endedAt !== undefined) return
  t.own.watch?.changes(entry)
  entry.firstAt = time(f)
}

export function partEnd(t: Transcript, kind: Part['kind'], f: Frame, id: string, dropped: boolean): void {
  const parts = t.own.parts.get(`${kind}:${id}`)
  if (parts === undefined || parts.ended) {
    t.late.push(f)
    return
  }
  t.own.watch?.changes(parts)
  parts.ended = true
  const items = parts.items
  parts.items = []
  for (const part of items) {
    if (part === t.own.open) closePart(t)
    if (!dropped) continue
    t.own.watch?.cuts(t.items)
    remove(t.items, part)
    t.droppedParts.push(part)
  }
}

/** What is dropped stands near the end, so the search begins there. */
function remove(items: Item[], item: Item): void {
  const at = items.lastIndexOf(item)
  if (at >= 0) items.splice(at, 1)
}
