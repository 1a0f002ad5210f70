// A proxy before a studio that lets only the first events of a run through, so that a page can be looked at, and opened again,
// between any two of them.
import { createServer } from 'node:http'

/** Opens a gate on a run of the studio. It lets no event through until `let` says how many. */
export async function gate(t, studio, { runId, threadId }, { rewrite = (line) => line } = {}) {
  const log = await readLog(studio, runId)
  const listeners = new Set()
  let limit = 0

  const bearer = { Authorization: `Bearer ${studio.token}` }
  const ring = () => `data: ${JSON.stringify({ runId, threadId, last: limit, status: log.statusAt(limit) })}\n\n`

  async function answer(request, response) {
    const url = new URL(request.url, 'http://gate')
    if (url.pathname === '/api/doorbell') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(ring())
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return
    }
    if (url.pathname === `/api/runs/${runId}/events`) {
      const lines = log.lines.slice(Number(url.searchParams.get('after') ?? 0), limit).map(rewrite)
      const body = `{"events":[\n${lines.join(',\n')}\n],"last":${limit},"status":"${log.statusAt(limit)}"}`
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(body)
      return
    }
    const upstream = await fetch(new URL(request.url, studio.address), { headers: bearer, redirect: 'manual' })
    let body = Buffer.from(await upstream.arrayBuffer())
    if (url.pathname === '/api/threads' || url.pathname === `/api/threads/${threadId}/runs`) {
      const listing = JSON.parse(body.toString())
      for (const row of listing.runs ?? listing.threads) {
        if (row.id === runId || row.runId === runId) Object.assign(row, { status: log.statusAt(limit), last: limit })
      }
      body = Buffer.from(JSON.stringify(listing))
    }
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
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `http://127.0.0.1:${server.address().port}/#/t/${threadId}`,
    log,
    /** Lets the first count events through and rings. */
    let(count) {
      limit = count
      for (const response of listeners) response.write(ring())
    },
  }
}

/** Reads a run's log as it goes over the wire: a line for each event, and how the run stood after each. */
async function readLog(studio, runId) {
  const response = await fetch(new URL(`/api/runs/${runId}/events?after=0`, studio.address), {
    headers: { Authorization: `Bearer ${studio.token}`, Accept: 'application/json' },
  })
  const lines = (await response.text())
    .split('\n')
    .slice(1, -1)
    .map((line) => line.replace(/,$/, ''))
  const statuses = ['running']
  for (const line of lines) {
    const event = JSON.parse(line)
    const before = statuses.at(-1)
    statuses.push({ finish: event.status, error: 'failed', start: 'running' }[event.type] ?? before)
  }
  return { lines, statusAt: (count) => statuses[count] }
}
