// A proxy before a studio that lets only the first events of a run through, so that a page can be looked at, and opened again,
// between any two of them.
import { createServer } from 'node:http'
import { atEnd } from './harness.mjs'

/** What every image is that the events refer to: the studio has none of them. */
const dot = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')

/**
 * Opens a gate before a thread of the studio: its one run has the given events, each the line of JSON it is on the wire. None
 * goes through until `let` says how many.
 */
export async function gate(t, studio, threadId, lines) {
  const { runId, agentName } = JSON.parse(lines[0])
  const statuses = statusesOf(lines)
  const listeners = new Set()
  let limit = 0

  const bearer = { Authorization: `Bearer ${studio.token}` }
  const run = () => ({ id: runId, agentName, status: statuses[limit], last: limit, createdAt: 1 })
  const ring = () => `data: ${JSON.stringify({ runId, threadId, last: limit, status: statuses[limit] })}\n\n`

  async function answer(request, response) {
    const url = new URL(request.url, 'http://gate')
    if (url.pathname === '/api/doorbell') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(ring())
      listeners.add(response)
      // As a studio does, so that a page that is slow to look at does not take the silence for a loss.
      const alive = setInterval(() => response.write(': \n\n'), 5000)
      response.on('close', () => {
        clearInterval(alive)
        listeners.delete(response)
      })
      return
    }
    if (url.pathname === `/api/threads/${threadId}/runs`) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ runs: [run()] }))
      return
    }
    if (url.pathname === `/api/runs/${runId}/events`) {
      const upTo = limit
      const events = lines.slice(Number(url.searchParams.get('after') ?? 0), upTo).join(',\n')
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(`{"events":[\n${events}\n],"last":${upTo},"status":"${statuses[upTo]}"}`)
      return
    }
    if (url.pathname.startsWith('/api/blobs/')) {
      response.writeHead(200, { 'Content-Type': 'image/gif' }).end(dot)
      return
    }
    const upstream = await fetch(new URL(request.url, studio.address), { headers: bearer, redirect: 'manual' })
    const body = Buffer.from(await upstream.arrayBuffer())
    const headers = { 'Content-Type': upstream.headers.get('content-type') ?? 'text/plain' }
    const policy = upstream.headers.get('content-security-policy')
    if (policy) headers['Content-Security-Policy'] = policy
    response.writeHead(upstream.status, headers)
    response.end(body)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(502).end(String(error)))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `http://127.0.0.1:${server.address().port}/#/t/${threadId}`,
    /** Lets the first count events through and rings. */
    let(count) {
      limit = count
      for (const response of listeners) response.write(ring())
    },
    count: () => limit,
  }
}

/** How a run stands after each of its events. */
function statusesOf(lines) {
  const statuses = ['running']
  for (const line of lines) {
    const event = JSON.parse(line)
    statuses.push({ finish: event.status, error: 'failed', start: 'running' }[event.type] ?? statuses.at(-1))
  }
  return statuses
}
