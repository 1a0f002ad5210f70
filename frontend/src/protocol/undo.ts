import { type Item, newTranscript, type Transcript, type Watch } from './transcript'
import { WatchedMap } from './watchedMap'

/** One change of a transcript, which can be taken back and made again any number of times. */
export interface Change {
  undo(): void
  redo(): void
}

/** A transcript that tells a recorder of its changes. */
export function watchedTranscript(): [Transcript, Recorder] {
  const recorder = new Recorder()
  const t = newTranscript()
  const { own } = t
  const watched: Transcript = {
    ...t,
    calls: recorder.map(),
    approvals: recorder.map(),
    own: {
      ...own,
      parts: recorder.map(),
      keys: recorder.map(),
      turns: recorder.map(),
      inside: recorder.map(),
      gone: recorder.map(),
      early: recorder.map(),
      watch: recorder,
    },
  }
  return [watched, recorder]
}

/**
 * Records what an event changes: objects keep their identity when it is taken back, so a view of them stays what it is. The
 * fold says what it is about to change; what came of that is read off afterwards.
 */
export class Recorder implements Watch {
  readonly #maps: { harvest(into: Change[]): void }[] = []
  #objects: Before<object>[] = []
  #lists: { list: unknown[]; length: number }[] = []
  readonly #cuts = new Map<unknown[], Item[]>()
  #recording = false

  map<K, V>(): Map<K, V> {
    const map = new WatchedMap<K, V>(() => this.#recording)
    this.#maps.push(map)
    return map
  }

  changes(object: object): void {
    if (this.#objects.some((each) => each.object === object)) return
    if (Array.isArray(object)) {
      this.#grows(object)
      return
    }
    this.#objects.push(new Before(object))
    for (const value of Object.values(object)) if (Array.isArray(value)) this.#grows(value)
    if ('own' in object && typeof object.own === 'object' && object.own !== null) this.changes(object.own)
  }

  cuts(items: Item[]): void {
    if (this.#cuts.has(items)) return
    // What it has grown by since the event began was not there before.
    const known = this.#lists.find(({ list }) => list === items)
    this.#cuts.set(items, items.slice(0, known?.length))
  }

  /** Does what changes the transcript by one event, and returns the changes. piece is the text the event brings, if it brings one. */
  record(t: Transcript, piece: string | undefined, event: () => void): Change[] {
    this.#objects = []
    this.#lists = []
    this.#cuts.clear()
    this.#recording = true
    this.changes(t)
    if (t.own.open !== undefined) this.changes(t.own.open)
    event()
    this.#recording = false
    const changes: Change[] = []
    for (const { list, length } of this.#lists) {
      const before = this.#cuts.get(list)
      if (before) changes.push(Splice.between(list, before))
      else if (list.length > length) changes.push(new Splice(list, length, [], list.slice(length)))
    }
    for (const before of this.#objects) before.harvest(piece, changes)
    for (const map of this.#maps) map.harvest(changes)
    return changes
  }

  #grows(list: unknown[]): void {
    this.#lists.push({ list, length: list.length })
  }
}

/** An object as it was. */
class Before<T extends object> {
  readonly object: T
  readonly #copy: T

  constructor(object: T) {
    this.object = object
    this.#copy = { ...object }
  }

  harvest(piece: string | undefined, into: Change[]): void {
    for (const name in this.object) {
      const before = this.#copy[name]
      const after = this.object[name]
      if (before === after) continue
      const grew =
        piece !== undefined &&
        typeof before === 'string' &&
        typeof after === 'string' &&
        after.length === before.length + piece.length
      into.push(grew ? new Growth(this.object, name, before.length, piece) : new Swap(this.object, name, before, after))
    }
  }
}

/** A field that became another value. */
class Swap<T extends object, K extends keyof T> implements Change {
  readonly #object: T
  readonly #name: K
  readonly #before: T[K]
  readonly #after: T[K]

  constructor(object: T, name: K, before: T[K], after: T[K]) {
    this.#object = object
    this.#name = name
    this.#before = before
    this.#after = after
  }

  undo(): void {
    this.#object[this.#name] = this.#before
  }

  redo(): void {
    this.#object[this.#name] = this.#after
  }
}

/** A text that got a piece more. Only the piece is kept: a text of a thousand pieces is not kept a thousand times. */
class Growth implements Change {
  readonly #object: object
  readonly #name: string
  readonly #length: number
  readonly #piece: string

  constructor(object: object, name: string, length: number, piece: string) {
    this.#object = object
    this.#name = name
    this.#length = length
    this.#piece = piece
  }

  undo(): void {
    Reflect.set(this.#object, this.#name, this.#text().slice(0, this.#length))
  }

  redo(): void {
    Reflect.set(this.#object, this.#name, this.#text() + this.#piece)
  }

  #text(): string {
    const text: unknown = Reflect.get(this.#object, this.#name)
    return typeof text === 'string' ? text : ''
  }
}

/** Elements of a list that gave place to others. */
class Splice<T> implements Change {
  readonly #list: T[]
  readonly #at: number
  readonly #out: T[]
  readonly #in: T[]

  constructor(list: T[], at: number, out: T[], inn: T[]) {
    this.#list = list
    this.#at = at
    this.#out = out
    this.#in = inn
  }

  static between<T>(list: T[], before: readonly T[]): Splice<T> {
    let start = 0
    while (start < list.length && start < before.length && list[start] === before[start]) start++
    let end = 0
    const shorter = Math.min(list.length, before.length) - start
    while (end < shorter && list.at(-1 - end) === before.at(-1 - end)) end++
    return new Splice(list, start, before.slice(start, before.length - end), list.slice(start, list.length - end))
  }

  undo(): void {
    this.#list.splice(this.#at, this.#in.length, ...this.#out)
  }

  redo(): void {
    this.#list.splice(this.#at, this.#out.length, ...this.#in)
  }
}
