import { expect, it } from 'vitest'
import { stepped } from './zoom'

it.each([
  [100, 1, 110],
  [100, -1, 90],
  [103, 1, 110],
  [103, -1, 100],
  [200, 1, 200],
  [50, -1, 50],
] as const)('from %i a step of %i leads to %i', (from, direction, want) => {
  expect(stepped(from, direction)).toBe(want)
})
