import { type RefObject, useEffect, useRef } from 'react'

/** A line and a page of a wheel that does not count in px. */
const line = 16
const page = 400

/** Tells, in px, how far a wheel was turned over an element in which nothing scrolls that way. */
export function useWheel(onWheel: (by: number) => void): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(onWheel)
  latest.current = onWheel
  useEffect(() => {
    const element = box.current
    if (!element) return
    const turn = (event: WheelEvent) => {
      const by = turned(event)
      if (event.ctrlKey || scrollsInside(element, event.target, by)) return
      event.preventDefault() // some engines scroll what lies under the element, others do not
      latest.current(by)
    }
    element.addEventListener('wheel', turn, { passive: false })
    return () => element.removeEventListener('wheel', turn)
  }, [])
  return box
}

function turned({ deltaY, deltaMode }: WheelEvent): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return deltaY * line
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? deltaY * page : deltaY
}

function scrollsInside(box: Element, target: EventTarget | null, by: number): boolean {
  for (let at = target instanceof Element ? target : null; at && box.contains(at); at = at.parentElement) {
    const left = by < 0 ? at.scrollTop : at.scrollHeight - at.clientHeight - at.scrollTop
    if (left >= 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return true
  }
  return false
}
