import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now = Date.now()
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, 200)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && timer !== undefined) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

const never = () => () => undefined

/**
 * The time in Unix ms, rounded down to step, rendering again when it changes. One timer serves all; while active is false the
 * time stands still.
 */
export function useNow(active: boolean, step = 1000): number {
  const get = () => Math.floor((timer === undefined ? Date.now() : now) / step) * step
  return useSyncExternalStore(active ? subscribe : never, active ? get : zero)
}

const zero = () => 0
