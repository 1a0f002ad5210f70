// @vitest-environment node
import { expect, it } from 'vitest'
import { DecisionGuard, guardTime } from './guard'

it('decides nothing before the arguments have been seen for the guard time', () => {
  const guard = new DecisionGuard()
  expect(guard.ready('row', 'a', 10_000)).toBe(false)
  guard.seen('a', 10_000)
  expect(guard.ready('row', 'a', 10_000 + guardTime - 1)).toBe(false)
  expect(guard.ready('row', 'a', 10_000 + guardTime)).toBe(true)
})

it('counts from the first time they were seen', () => {
  const guard = new DecisionGuard()
  guard.seen('a', 10_000)
  guard.seen('a', 20_000)
  expect(guard.ready('row', 'a', 10_000 + guardTime)).toBe(true)
})

it('waits again on a row the focus was moved to, and only there', () => {
  const guard = new DecisionGuard()
  guard.seen('a', 0)
  guard.seen('b', 0)
  guard.moved('row b', 10_000)
  expect(guard.ready('row b', 'b', 10_000 + guardTime - 1)).toBe(false)
  expect(guard.ready('row b', 'b', 10_000 + guardTime)).toBe(true)
  expect(guard.ready('row a', 'a', 10_001)).toBe(true)
})

it('holds every decision back for the guard time after one was made', () => {
  const guard = new DecisionGuard()
  guard.seen('a', 0)
  guard.seen('b', 0)
  expect(guard.ready('row b', 'b', 10_000)).toBe(true)
  guard.decided(10_000)
  expect(guard.ready('row b', 'b', 10_000 + guardTime - 1)).toBe(false)
  expect(guard.resting(10_000 + guardTime - 1)).toBe(true)
  expect(guard.ready('row b', 'b', 10_000 + guardTime)).toBe(true)
})
