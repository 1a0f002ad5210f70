// @vitest-environment node
import { expect, it } from 'vitest'
import { screenLines } from './screenLines'

it.each([
  ['a\nb\n', ['a', 'b'], 2],
  ['a\r\n\r\nb', ['a', '', 'b'], 3],
  ['', [''], 1],
  ['\n', [''], 1],
])('%j has its lines', (text, lines, whole) => {
  expect(screenLines(text)).toEqual({ lines, whole })
})

it('a line of 200 KB comes in pieces that lose nothing and cut no character', () => {
  const line = `x${'🙂'.repeat(50_000)}`
  const { lines, whole } = screenLines(line)
  expect(whole).toBe(1)
  expect(lines.length).toBeGreaterThan(40)
  expect(lines.join('')).toBe(line)
  for (const piece of lines) expect(() => encodeURIComponent(piece)).not.toThrow()
})
