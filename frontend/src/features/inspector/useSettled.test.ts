import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Cell } from '../../state/cell'
import { useSettled } from './useSettled'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function settling() {
  const cell = new Cell(0)
  const { result } = renderHook(() => useSettled(cell.subscribe, cell.get, 250))
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
  return { cell, result, pass }
}

it('a value is taken once it stood still', () => {
  const { cell, result, pass } = settling()
  cell.set(1)
  pass(200)
  cell.set(2)
  pass(200)
  expect(result.current).toBe(0)
  pass(60)
  expect(result.current).toBe(2)
})

it('a value that never stands still is taken now and then', () => {
  const { cell, result, pass } = settling()
  for (let i = 1; i <= 25; i++) {
    cell.set(i)
    pass(100)
  }
  expect(result.current).toBeGreaterThan(15)
  expect(result.current).toBeLessThan(25)
})
