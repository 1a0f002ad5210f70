import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import type { ThreadStore } from '../../state/threadStore'
import { hasRefs } from './matches'

/** So long after a key press, in ms, the server is asked. */
const afterKey = 250

interface Held {
  /** The hashes of large values that hold the text. */
  held: ReadonlySet<string>
  busy: boolean
}

const none: Held = { held: new Set(), busy: false }

/**
 * Has the server search the large values of a thread's runs, which the page does not hold. What comes while the search is open
 * is searched with the next letter.
 */
export function useHeld(store: ThreadStore, query: string, partial: boolean): Held {
  const { api } = useApp()
  const [found, setFound] = useState(none)
  useEffect(() => {
    setFound(none)
    if (!query || partial) return
    const runs = store.runs.filter(hasRefs)
    if (runs.length === 0) return
    setFound({ ...none, busy: true })
    const closing = new AbortController()
    const timer = setTimeout(() => {
      Promise.all(runs.map((run) => api.find(run.id, query, closing.signal))).then(
        (hashes) => !closing.signal.aborted && setFound({ held: new Set(hashes.flat()), busy: false }),
        (cause: unknown) => {
          if (closing.signal.aborted) return
          console.warn('Large values could not be searched', cause)
          setFound(none)
        },
      )
    }, afterKey)
    return () => {
      closing.abort()
      clearTimeout(timer)
    }
  }, [api, store, query, partial])
  return found
}
