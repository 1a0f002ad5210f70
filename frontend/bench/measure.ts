import { decode, isWireError } from '../src/protocol/events'
import { splitEvents } from '../src/protocol/records'
import { apply, applyError, newTranscript, type Transcript } from '../src/protocol/transcript'

/** What was measured, in a unit, and the most it may be. */
export interface Measurement {
  name: string
  value: number
  unit: string
  budget: number
}

/** A stored thread of 100,000 events as GET /runs/{id}/events gives it: 10,000 calls with their text and arguments in pieces. */
export function storedAnswer(): string {
  const lines: string[] = []
  const add = (event: object) => lines.push(JSON.stringify({ seq: lines.length + 1, ...event }))
  add({ type: 'start', at: 1, messageId: 'm1', threadId: 't1', runId: 'r1', agentName: 'demo' })
  for (let i = 0; lines.length < 99_990; i++) {
    const at = 1_790_000_000_000 + i
    const id = `call_${String(i).padStart(6, '0')}`
    add({ type: 'turn', at, turn: i + 1, phase: 'start', agentName: 'demo', model: 'scripted' })
    add({ type: 'tool-call-start', at, id, toolName: 'read_file' })
    add({ type: 'tool-call-delta', at, id, argsTextDelta: '{"path":"src/some' })
    add({ type: 'tool-call-delta', at, id, argsTextDelta: '/folder/file.go"}' })
    add({ type: 'tool-call-end', at, id })
    add({ type: 'turn', at, turn: i + 1, phase: 'end', finishReason: 'tool_calls' })
    add({ type: 'call-state', at, toolCallId: id, state: 'running' })
    add({ type: 'tool-update', at, toolCallId: id, content: 'reading' })
    add({ type: 'tool-result', at, id: `e${id}`, toolCallId: id, result: { content: 'line of text\n'.repeat(12) } })
    add({ type: 'text-delta', at, id: `p${i}`, delta: 'Now the next one, which is' })
  }
  return `{"events":[\n${lines.join(',\n')}\n],"last":${lines.length},"status":"running"}`
}

function fold(events: { seq: number; raw: string }[]): Transcript {
  const t = newTranscript()
  for (const { seq, raw } of events) {
    const f = decode(raw, seq)
    if (isWireError(f)) applyError(t, f)
    else apply(t, f)
  }
  return t
}

/** The log of one call whose arguments come in pieces of so many bytes, up to so many bytes. */
function written(bytes: number, size: number): { seq: number; raw: string }[] {
  const start = { seq: 1, raw: '{"type":"tool-call-start","at":1,"id":"c1","toolName":"write_file"}' }
  const raw = `{"type":"tool-call-delta","at":1,"id":"c1","argsTextDelta":"${'abcdefghijklmnop'.slice(0, size)}"}`
  return [start, ...Array.from({ length: bytes / size }, (_, i) => ({ seq: i + 2, raw }))]
}

/** The ms it takes to fold a call's arguments, to their last character. */
function writing(bytes: number, size: number): number {
  const log = written(bytes, size)
  return time(() => {
    const length = fold(log).calls.get('c1')?.argumentsText.length
    if (length !== bytes) throw new Error(`${length} characters`)
  })
}

/** Reads and folds a thread of 100,000 events; calls whose arguments come in small pieces; and how the cost grows with them. */
export function measure(): Measurement[] {
  const answer = storedAnswer()
  const opened = time(() => {
    const t = fold(splitEvents(answer).events)
    if (t.calls.size !== 9_999 || t.wireErrors.length + t.late.length > 0) throw new Error(`${t.calls.size} calls`)
  })
  const megabyte = 1 << 20
  const once = writing(megabyte, 16)
  return [
    { name: '100,000 stored events read and folded', value: opened, unit: 'ms', budget: 400 },
    { name: '200 KB of arguments in 50,000 pieces folded', value: writing(200_000, 4), unit: 'ms', budget: 100 },
    { name: '1 MB of arguments in 16-byte pieces folded', value: once, unit: 'ms', budget: 100 },
    { name: '2 MB of them against 1 MB', value: writing(2 * megabyte, 16) / once, unit: 'times', budget: 3 },
  ]
}

/** The best of five in ms; the first warms up. */
function time(run: () => void): number {
  let ms = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const started = performance.now()
    run()
    ms = Math.min(ms, performance.now() - started)
  }
  return ms
}
