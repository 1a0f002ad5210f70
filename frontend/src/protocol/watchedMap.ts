import type { Change } from './undo'

/** A map that says what one event made of it, and takes that back: what was taken out comes back in its place. */
export class WatchedMap<K, V> extends Map<K, V> {
  readonly #recording: () => boolean
  /** What each key that was touched had; undefined when it was not there. */
  #touched: Map<K, { value: V } | undefined> | undefined
  /** The keys in their order, before one was taken out. */
  #order: K[] | undefined

  constructor(recording: () => boolean) {
    super()
    this.#recording = recording
  }

  override set(key: K, value: V): this {
    if (this.#recording()) this.#touch(key)
    return super.set(key, value)
  }

  override delete(key: K): boolean {
    if (this.#recording() && this.has(key)) {
      this.#order ??= [...this.keys()].filter((each) => !this.#isNew(each))
      this.#touch(key)
    }
    return super.delete(key)
  }

  /** Adds what changed since it was last asked. */
  harvest(into: Change[]): void {
    const [touched, order] = [this.#touched, this.#order]
    if (touched === undefined) return
    this.#touched = undefined
    this.#order = undefined
    for (const [key, before] of touched) {
      const now = this.get(key)
      if (order === undefined || (before !== undefined && this.has(key))) into.push(new Entry(this, key, before, now))
    }
    if (order === undefined) return
    const keys = [...this.keys()]
    let same = 0
    while (same < order.length && order[same] === keys[same]) same++
    const had = (key: K) => (touched.has(key) ? touched.get(key)?.value : this.get(key))
    into.push(
      new Tail(
        this,
        order.slice(same).map((key) => [key, had(key)]),
        keys.slice(same).map((key) => [key, this.get(key)]),
      ),
    )
  }

  #touch(key: K): void {
    this.#touched ??= new Map()
    if (this.#touched.has(key)) return
    const value = this.get(key)
    this.#touched.set(key, value === undefined ? undefined : { value })
  }

  #isNew(key: K): boolean | undefined {
    return this.#touched?.has(key) && this.#touched.get(key) === undefined
  }
}

/** A key that came, or got another value. */
class Entry<K, V> implements Change {
  readonly #map: Map<K, V>
  readonly #key: K
  readonly #before: { value: V } | undefined
  readonly #now: V | undefined

  constructor(map: Map<K, V>, key: K, before: { value: V } | undefined, now: V | undefined) {
    this.#map = map
    this.#key = key
    this.#before = before
    this.#now = now
  }

  undo(): void {
    if (this.#before === undefined) this.#map.delete(this.#key)
    else this.#map.set(this.#key, this.#before.value)
  }

  redo(): void {
    if (this.#now !== undefined) this.#map.set(this.#key, this.#now)
  }
}

/** The end of a map from the first key that was taken out. No value is undefined. */
class Tail<K, V> implements Change {
  readonly #map: Map<K, V>
  readonly #out: [K, V | undefined][]
  readonly #in: [K, V | undefined][]

  constructor(map: Map<K, V>, out: [K, V | undefined][], inn: [K, V | undefined][]) {
    this.#map = map
    this.#out = out
    this.#in = inn
  }

  undo(): void {
    this.#replace(this.#in, this.#out)
  }

  redo(): void {
    this.#replace(this.#out, this.#in)
  }

  #replace(out: [K, V | undefined][], inn: [K, V | undefined][]): void {
    for (const [key] of out) this.#map.delete(key)
    for (const [key, value] of inn) if (value !== undefined) this.#map.set(key, value)
  }
}
