// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { axis, union } from './spans'

const span = (from: number, to: number) => ({ from, to })

describe('spans as one', () => {
  it.each([
    [
      [span(0, 2), span(5, 6)],
      [span(0, 2), span(5, 6)],
    ],
    [[span(5, 6), span(0, 5)], [span(0, 6)]],
    [[span(0, 9), span(2, 3), span(8, 12)], [span(0, 12)]],
    [[], []],
  ])('%j make %j', (spans, want) => {
    expect(union(spans)).toEqual(want)
  })
})

describe('the axis of time', () => {
  it('is even where something is at work all the time', () => {
    const time = axis(span(1000, 3000), [span(1000, 3000)])
    expect([1000, 1500, 3000, 0, 9999].map(time.at)).toEqual([0, 0.25, 1, 0, 1])
    expect(time.cuts).toEqual([])
  })

  it('cuts a long rest short, and keeps the order of time in it', () => {
    const hour = 3_600_000
    const time = axis(span(0, hour + 20_000), [span(0, 10_000), span(hour + 10_000, hour + 20_000)])
    expect(time.cuts).toEqual([span(10_000, hour + 10_000)])
    const [cut = 0, within = 0, on = 0] = [10_000, hour / 2, hour + 10_000].map(time.at)
    expect(cut).toBeCloseTo(0.4)
    expect(on).toBeCloseTo(0.6)
    expect(within).toBeGreaterThan(cut)
    expect(within).toBeLessThan(on)
    expect(time.at(hour + 20_000)).toBe(1)
  })

  it('keeps short rests as they were', () => {
    expect(axis(span(0, 10_000), [span(0, 3000), span(7000, 10_000)]).cuts).toEqual([])
  })

  it('stands at its start where no time was told', () => {
    expect(axis(span(0, 0), [span(0, 0)]).at(0)).toBe(0)
  })
})
