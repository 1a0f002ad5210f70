import { useCallback, useEffect, useState } from 'react'
import { messageOf } from '../../transport/apiError'

/** Something asked of the server: what came, why it did not, and a way to ask again. */
export interface Asked<T> {
  value?: T
  fault?: string
  busy: boolean
  again: () => void
}

interface Came<T> {
  value?: T
  fault?: string
}

/**
 * Asks, and again when ask is another function. What came before stays until the new answer is there, unless it was for another
 * subject.
 */
export function useAnswer<T>(subject: string, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [times, setTimes] = useState(0)
  const [busy, setBusy] = useState(true)
  const [came, setCame] = useState<Came<T> & { subject: string }>()
  useEffect(() => {
    void times // asks once more
    const closing = new AbortController()
    setBusy(true)
    ask(closing.signal)
      .then(
        (value) => ({ value }),
        (cause: unknown) => ({ fault: messageOf(cause) }),
      )
      .then((next) => {
        if (closing.signal.aborted) return
        setBusy(false)
        setCame((before) => ({ value: before?.subject === subject ? before.value : undefined, ...next, subject }))
      })
    return () => closing.abort()
  }, [ask, subject, times])
  const again = useCallback(() => setTimes((n) => n + 1), [])
  const mine = came?.subject === subject ? came : undefined
  return { value: mine?.value, fault: mine?.fault, busy, again }
}
