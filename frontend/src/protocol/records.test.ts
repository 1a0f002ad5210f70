// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { splitEvents } from './records'

const first = '{"type":"start","at":1,"messageId":"m","threadId":"t"}'
const second =
  '{"type":"tool-result","at":2,"id":"e","toolCallId":"c","result":{"n":2512292042121000001, "x":1.0,"s":"},{ ]\\n"}}'
const numbered = (seq: number, raw: string) => `{"seq":${seq},${raw.slice(1)}`
const want = {
  events: [
    { seq: 1, raw: first },
    { seq: 2, raw: second },
  ],
  last: 2,
  status: 'completed',
}

describe('events keep their own bytes', () => {
  it('one on each line, as a Callboard server lays them out', () => {
    const text = `{"events":[\n${numbered(1, first)},\n${numbered(2, second)}\n],"last":2,"status":"completed"}`
    expect(splitEvents(text)).toEqual(want)
    expect(splitEvents(`${text}\n`)).toEqual(want)
  })

  it('all on one line', () => {
    expect(
      splitEvents(`{"events":[${numbered(1, first)},${numbered(2, second)}],"last":2,"status":"completed"}`),
    ).toEqual(want)
  })

  it('in any other layout, the number anywhere', () => {
    const text = ` {"status":"completed",\n"last" : 2, "events":[ ${first.slice(0, -1)},"seq":1} ,\n ${numbered(2, second)}\n\n] }`
    expect(splitEvents(text)).toEqual(want)
  })

  it('laid out over many lines', () => {
    const raw = '{"type":"text-delta","id":"p","delta":"x"}'
    const text = `{"events":[\n{"seq":1,"type":"text-delta",\n"id":"p","delta":"x"}\n],"last":1,"status":"running"}`
    expect(splitEvents(text)).toEqual({ events: [{ seq: 1, raw }], last: 1, status: 'running' })
  })

  it.each(['{"events":[\n],"last":0,"status":"running"}', '{"events":[],"last":0,"status":"running"}'])(
    'none: %j',
    (text) => {
      expect(splitEvents(text)).toEqual({ events: [], last: 0, status: 'running' })
    },
  )
})

it('a malformed event keeps its number and does not spoil the others', () => {
  const text = `{"events":[\n{"seq":1,bad}\n,\n${numbered(2, second)}\n],"last":2,"status":"completed"}`
  expect(() => splitEvents(text)).toThrow('read events')
  const lines = `{"events":[\n{"seq":1,bad},\n${numbered(2, second)}\n],"last":2,"status":"completed"}`
  expect(splitEvents(lines).events.map((e) => e.raw)).toEqual(['{bad}', second])
})

it.each([
  '',
  'null',
  '[]',
  '<html>',
  '{"error":{"message":"no"}}',
  '{"events":1,"status":"running"}',
  '{"events":[],"last":0}',
  '{"events":[],"status":"asleep"}',
])('a text that is no such answer is an error: %j', (text) => {
  expect(() => splitEvents(text)).toThrow('read events')
})
