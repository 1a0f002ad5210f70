/** A stretch of time in Unix ms. */
export interface Span {
  from: number
  to: number
}

/** Spans that touch or overlap as one, in order of time. */
export function union(spans: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = out.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else out.push({ from, to })
  }
  return out
}

/** A time axis from 0 to 1 on which long stretches where nothing was at work are cut short. */
export interface Axis {
  /** Where a moment stands. */
  at(ms: number): number
  /** The stretches that were cut, in order of time. */
  cuts: Span[]
  from: number
  to: number
}

/** A stretch of rest shorter than this, in ms, is never cut. */
const shortRest = 5_000
/** The part of the time at work that a cut stretch is drawn as. */
const drawnRest = 0.08

/** Lays out a time with what was at work in it. */
export function axis({ from, to }: Span, busy: readonly Span[]): Axis {
  const rests: Span[] = []
  let at = from
  for (const span of [...union(busy), { from: to, to }]) {
    if (span.from > at) rests.push({ from: at, to: Math.min(span.from, to) })
    at = Math.max(at, span.to)
  }
  const rested = rests.reduce((ms, rest) => ms + rest.to - rest.from, 0)
  const shown = Math.max(shortRest, (to - from - rested) * drawnRest)
  const cuts = rests.filter((rest) => rest.to - rest.from > shown)
  const gone = [0] // what is left out up to each cut
  for (const cut of cuts) gone.push((gone.at(-1) ?? 0) + cut.to - cut.from - shown)
  const cutAway = (ms: number) => {
    const next = firstAfter(cuts, ms)
    const cut = cuts[next - 1]
    if (!cut || ms >= cut.to) return gone[next] ?? 0
    return (gone[next - 1] ?? 0) + (ms - cut.from) * (1 - shown / (cut.to - cut.from))
  }
  const length = to - from - cutAway(to)
  return {
    from,
    to,
    cuts,
    at: (ms) => (length <= 0 ? 0 : Math.min(1, Math.max(0, (ms - from - cutAway(ms)) / length))),
  }
}

/** The index of the first span that begins after a moment. */
function firstAfter(spans: readonly Span[], ms: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.from ?? 0) > ms) high = middle
    else low = middle + 1
  }
  return low
}
