import { decode, isWireError } from '../src/protocol/events'
import { splitEvents } from '../src/protocol/records'
import { apply, applyError, newTranscript, type Transcript } from '../src/protocol/transcript'

/** What one measurement took. */
export interface Measurement {
  name: string
  ms: number
  goalMs: number
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

/** Reads and folds a thread of 100,000 events, and one call whose 200 KB of arguments come in 50,000 pieces. */
export function measure(): Measurement[] {
  const answer = storedAnswer()
  const pieces = Array.from({ length: 50_000 }, (_, i) => ({
    seq: i + 2,
    raw: '{"type":"tool-call-delta","at":1,"id":"c1","argsTextDelta":"abcd"}',
  }))
  const start = { seq: 1, raw: '{"type":"tool-call-start","at":1,"id":"c1","toolName":"write_file"}' }
  return [
    time('100,000 stored events read and folded', 400, () => {
      const t = fold(splitEvents(answer).events)
      if (t.calls.size !== 9_999 || t.wireErrors.length + t.late.length > 0) throw new Error(`${t.calls.size} calls`)
    }),
    time('200 KB of arguments in 50,000 pieces folded', 100, () => {
      const length = fold([start, ...pieces]).calls.get('c1')?.argumentsText.length
      if (length !== 200_000) throw new Error(`${length} characters`)
    }),
  ]
}

/** The best of five; the first warms up. */
function time(name: string, goalMs: number, run: () => void): Measurement {
  let ms = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const started = performance.now()
    run()
    ms = Math.min(ms, performance.now() - started)
  }
  return { name, ms, goalMs }
}
