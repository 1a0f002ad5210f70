// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { beginningOf, pieceOf, screenLines } from './screenLines'

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

describe('what stands there at first', () => {
  const of = (lines: string[], tail = false) =>
    beginningOf(lines, 12, { lengthOf: (line) => line.length, cutLine: pieceOf, tail })
  const numbered = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`)

  it('is all of what is not more than one line longer', () => {
    expect(of(numbered(13))).toBeUndefined()
    expect(of(['x'.repeat(13 * 80)])).toBeUndefined()
    expect(of([])).toBeUndefined()
  })

  it('is twelve lines', () => {
    expect(of(numbered(340))).toEqual(numbered(12))
    expect(of(numbered(340), true)).toEqual(numbered(340).slice(-12))
  })

  it('is as much of long lines as fills twelve on the screen', () => {
    const long = 'abcdefghij'.repeat(300)
    expect(of([long])).toEqual([long.slice(0, 960)])
    expect(of([long], true)).toEqual([long.slice(-960)])
    expect(of(['one', long, 'two'])).toEqual(['one', long.slice(0, 880)])
    expect(of(['one', long, 'two'], true)).toEqual([long.slice(-880), 'two'])
    expect(of(Array.from({ length: 30 }, () => 'x'.repeat(200)))?.map(({ length }) => length)).toEqual([
      200, 200, 200, 200,
    ])
  })

  it('cuts no character', () => {
    const [piece = ''] = of([`x${'🙂'.repeat(2000)}`]) ?? []
    expect(() => encodeURIComponent(piece)).not.toThrow()
    const [end = ''] = of([`x${'🙂'.repeat(2000)}y`], true) ?? []
    expect(() => encodeURIComponent(end)).not.toThrow()
  })
})
