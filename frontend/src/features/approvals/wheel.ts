/** A line and a page of a wheel that does not count in px. */
const line = 16
const page = 400

/** How far a wheel was turned, in px. */
export function turned({ deltaY, deltaMode }: WheelEvent): number {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return deltaY * line
  return deltaMode === WheelEvent.DOM_DELTA_PAGE ? deltaY * page : deltaY
}

/** Whether something under the pointer, inside of box, can itself scroll that way. */
export function scrollsInside(box: Element, target: EventTarget | null, by: number): boolean {
  for (let at = target instanceof Element ? target : null; at && box.contains(at); at = at.parentElement) {
    const left = by < 0 ? at.scrollTop : at.scrollHeight - at.clientHeight - at.scrollTop
    if (left >= 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return true
  }
  return false
}
