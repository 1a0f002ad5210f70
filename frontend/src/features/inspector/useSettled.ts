import { useEffect, useState } from 'react'

/** What goes on changing is looked at after so long, in ms, while it changes. */
const longest = 2000

/**
 * A value of a store as it was when it last stood still for rest ms: for what is costly to draw and of no use while it flies
 * by. subscribe and get must be the same functions from one rendering to the next.
 */
export function useSettled<T>(subscribe: (listener: () => void) => () => void, get: () => T, rest: number): T {
  const [settled, setSettled] = useState(get)
  useEffect(() => {
    let seen = get()
    let since = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      timer = undefined
      setSettled(get)
    }
    const look = () => {
      const value = get()
      if (Object.is(value, seen)) return
      seen = value
      const now = performance.now()
      if (timer === undefined) since = now
      clearTimeout(timer)
      timer = setTimeout(settle, Math.max(0, Math.min(rest, since + longest - now)))
    }
    settle()
    const stop = subscribe(look)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [subscribe, get, rest])
  return settled
}
