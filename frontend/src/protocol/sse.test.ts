// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decode, isWireError } from './events'
import { newSseReader, type SseEvent } from './sse'
import { readGolden, testdata } from './testdata'

const bytes = (text: string) => new TextEncoder().encode(text)

function read(pieces: Uint8Array[], limit?: number): SseEvent[] {
  const reader = newSseReader(limit)
  return pieces.flatMap((piece) => reader.push(piece))
}

function plain(events: SseEvent[]) {
  return events.map(({ cut: _cut, ...event }) => event)
}

// CASES A1-A4, A6, A8, A11: a split at each byte, and between all of them.
describe('the shared streams are read wherever they are cut', () => {
  const names = readdirSync(`${testdata}/sse`).filter((name) => name.endsWith('.txt'))
  it.each(names)('%s', (name) => {
    const data = new Uint8Array(readFileSync(`${testdata}/sse/${name}`))
    const want = readGolden(`sse/${name.replace('.txt', '.json')}`)
    for (let at = 0; at <= data.length; at++) {
      expect(plain(read([data.subarray(0, at), data.subarray(at)]))).toEqual(want)
    }
    expect(plain(read(Array.from(data, (byte) => Uint8Array.of(byte))))).toEqual(want)
  })
})

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('A3: an event comes with its empty line and not later: %s', (_name, end) => {
  const reader = newSseReader()
  for (let i = 0; i < 3; i++) {
    expect(reader.push(bytes(`data: ${i}${end}`))).toEqual([])
    expect(reader.push(bytes(end.charAt(0))).map((e) => e.data)).toEqual([String(i)])
    expect(reader.push(bytes(end.slice(1)))).toEqual([])
  }
})

it('A6: a malformed event is reported with its bytes and the next one comes', () => {
  const events = read([bytes('data: {bad\n\nid: 2\ndata: {"type":"text-delta","id":"p","delta":"good"}\n\n')])
  const [bad, good] = events.map((e) => decode(e.data, Number(e.id ?? 0)))
  expect(bad !== undefined && isWireError(bad) && bad.raw).toBe('{bad')
  expect(good !== undefined && !isWireError(good) && good.event).toEqual({ type: 'text-delta', id: 'p', delta: 'good' })
})

it('A11: the id to reconnect with is the last one that came, whatever keep-alives follow', () => {
  const reader = newSseReader()
  reader.push(
    bytes('id: 2\ndata: a\n\nid: 3\ndata: b\n\n: keep-alive\n\ndata: without one\n\n: keep-alive\n\nid: 4\ndata: half'),
  )
  expect(reader.lastEventId).toBe('3')
})

describe('long lines', () => {
  const long = bytes(`data: ${'x'.repeat(300_000)}\n\ndata: next\n\n`)
  const pieces = Array.from({ length: Math.ceil(long.length / 7) }, (_, i) => long.subarray(i * 7, i * 7 + 7))

  it('are read whole under the limit', () => {
    const [first, next, ...more] = read(pieces, 1 << 20)
    expect([first?.data.length, first?.cut, next?.data, more]).toEqual([300_000, false, 'next', []])
  })

  it('over the limit are cut, and reported when they are decoded', () => {
    const [first, next] = read(pieces, 100_000)
    expect(first?.cut).toBe(true)
    expect(first?.data.length).toBeLessThan(100_000)
    expect(isWireError(decode(first?.data ?? '', 1))).toBe(true)
    expect(next?.data).toBe('next')
  })

  it('in several data lines count together', () => {
    const [first, next] = read([bytes(`${`data: ${'y'.repeat(90)}\n`.repeat(10)}\ndata: next\n\n`)], 500)
    expect([first?.cut, next?.data, next?.cut]).toEqual([true, 'next', false])
  })

  it('in small pieces cost no more than their length', () => {
    const reader = newSseReader()
    const piece = bytes('x'.repeat(16))
    const started = performance.now()
    reader.push(bytes('data: '))
    for (let i = 0; i < 200_000; i++) reader.push(piece)
    expect(reader.push(bytes('\n\n'))[0]?.data.length).toBe(3_200_000)
    expect(performance.now() - started).toBeLessThan(10_000) // its square would take minutes
  }, 30_000)
})
