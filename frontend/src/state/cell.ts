import { useCallback, useSyncExternalStore } from 'react'

/** A value that can be watched. Listeners are called after each change, in the order they came. */
export class Cell<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The cell's value, rendering again when it changes. */
export function useCell<T>(cell: Cell<T>): T {
  return useSyncExternalStore(cell.subscribe, cell.get)
}

/** A part of the cell's value; select must give equal parts for equal values. */
export function useCellPart<T, P>(cell: Cell<T>, select: (value: T) => P): P {
  const get = useCallback(() => select(cell.get()), [cell, select])
  return useSyncExternalStore(cell.subscribe, get)
}
