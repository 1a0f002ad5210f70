import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import type { ThreadStore } from '../../state/threadStore'
import { type Match, search } from './matches'
import { pattern } from './texts'
import { useHeld } from './useHeld'
import type { Begin } from './useLed'

/** So long after a key press, in ms, the thread is searched; and so long, at least, after it grew. */
const afterKey = 60
const afterGrowth = 500

export interface Find {
  matches: readonly Match[]
  /** Which of them is shown, from 0; -1 when none is. */
  at: number
  /** The server still looks into large values. */
  busy: boolean
  /** Goes to a match so many further on, or back; from the last it goes on with the first. */
  go(by: number): void
}

/**
 * Searches a thread for a text as it is typed, and takes the reader to what was found. A thread of which only a part was read
 * is searched once all of it is there. The first text, where it is that of begin, was found already in the row that is shown.
 */
export function useFind(store: ThreadStore, query: string, partial: boolean, begin?: Begin): Find {
  const app = useApp()
  const { held, busy } = useHeld(store, query, partial)
  const [found, setFound] = useState<{ matches: readonly Match[]; at: number }>({ matches: [], at: -1 })

  const show = useCallback(
    (match: Match | undefined) => {
      app.found.set(match && { key: match.row.key, wanted: match.inside ? pattern(query) : undefined })
      if (!match) return
      const { row, runId } = match
      if (row.kind === 'call' && match.inside) store.folding.set(row.key, true)
      const place = row.kind === 'call' ? { callId: row.call.id } : { key: row.key }
      app.jump.set({ threadId: store.threadId, runId, quiet: true, ...place })
    },
    [app, store, query],
  )

  const shown = useRef(begin)
  const look = useEffectEvent(() => search(store.runs, query, held))
  useEffect(() => {
    if (partial) return
    const timer = setTimeout(() => {
      const { matches, places } = look()
      const first = shown.current
      shown.current = undefined
      if (first?.text === query) {
        setFound({ matches, at: matches.findIndex((match) => match.row.key === first.key) })
        return
      }
      const from = topPlace(places)
      const next = matches.findIndex((match) => match.place >= from)
      const at = matches.length === 0 ? -1 : Math.max(0, next)
      setFound({ matches, at })
      show(matches[at])
    }, afterKey)
    return () => clearTimeout(timer)
  }, [show, partial, query])

  // What came meanwhile is found too; the reader stays at the match that is shown.
  useEffect(() => {
    if (!query || partial) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        const { matches } = look()
        setFound((before) => {
          const key = before.matches[before.at]?.row.key
          return { matches, at: matches.findIndex((match) => match.row.key === key) }
        })
      }, afterGrowth)
    }
    const stop = store.subscribe(again)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store, query, partial])

  // What the server found in large values stands among the other matches; the reader is led there if nothing else was found.
  useEffect(() => {
    if (held.size === 0) return
    const { matches } = look()
    setFound((before) => {
      const key = before.matches[before.at]?.row.key
      return {
        matches,
        at: Math.max(
          0,
          matches.findIndex((match) => match.row.key === key),
        ),
      }
    })
    if (!app.found.get()) show(matches[0])
  }, [app, held, show])

  useEffect(() => () => app.found.set(undefined), [app])

  const { matches, at } = found
  const go = useCallback(
    (by: number) => {
      if (matches.length === 0) return
      const next = (Math.max(at, by < 0 ? 0 : -1) + by + matches.length) % matches.length
      setFound({ matches, at: next })
      show(matches[next])
    },
    [matches, at, show],
  )
  return { matches, at, busy, go }
}

/** The place of the first row that is on the screen. */
function topPlace(places: ReadonlyMap<string, number>): number {
  const feed = document.querySelector('[role="feed"][aria-label="Thread"]')
  if (!feed) return 0
  const { top } = feed.getBoundingClientRect()
  let first = Number.POSITIVE_INFINITY
  for (const row of feed.querySelectorAll<HTMLElement>('[data-key]')) {
    const place = places.get(row.dataset.key ?? '')
    if (place !== undefined && row.getBoundingClientRect().bottom > top) first = Math.min(first, place)
  }
  return Number.isFinite(first) ? first : 0
}
