// The example program that shows all there is to see, and its runs as the lines of JSON they are on the wire.
import { example } from './example.mjs'

let lines

/**
 * Builds and starts backend/examples/gallery, once for a test file. Returns the lines of its runs: details of every kind, calls in every
 * state, an answer as JSON, calls inside of a call.
 */
export function gallery(t) {
  lines ??= play(t)
  return lines
}

async function play(t) {
  const { address } = await example(t, 'gallery')
  const ask = async (path, init) => {
    const response = await fetch(`${address}${path}`, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  const linesOf = async (run) => {
    const text = await ask(`/runs/${run}/events`, { headers: { Accept: 'application/json' } })
    const lines = text.split('\n').filter((line) => line.startsWith('{"seq":'))
    return lines.map((line) => line.replace(/,$/, ''))
  }
  const run = async (agent, input) => {
    const answer = await ask(`/agents/${agent}/run`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input }),
    })
    return await linesOf(JSON.parse(answer).runId)
  }
  return {
    kinds: await run('gallery', 'Show me everything.'),
    states: await linesOf('states'),
    structured: await run('planner', 'Three days in Oslo.'),
    inside: await run('captain', 'Release version 1.4.'),
  }
}

/** The lines of a run whose events are given without their numbers. */
export function logOf(events) {
  const head = { type: 'start', messageId: 'm1', threadId: 't', runId: 'made', agentName: 'made' }
  return [head, ...events].map((event, index) =>
    JSON.stringify({ seq: index + 1, at: 1_700_000_000_000 + index, ...event }),
  )
}

/** The events of a call from its start to its result. */
export function doneCall(id, toolName, result) {
  return [
    { type: 'tool-call-start', id, toolName },
    { type: 'tool-call-delta', id, argsTextDelta: `{"of":"${id}"}` },
    { type: 'tool-call-end', id },
    { type: 'call-state', toolCallId: id, state: 'running' },
    { type: 'tool-result', id: `${id}-r`, toolCallId: id, result: 'ok', durationMs: 3, ...result },
  ]
}
