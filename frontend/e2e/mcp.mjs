// A server over MCP of the tests' own, which lists and answers what it is told.
import { createServer } from 'node:http'
import { atEnd } from './harness.mjs'

/** Serves tools, each with the result it gives, and returns its address and the calls it got, as text. */
export async function serveMcp(t, tools) {
  const calls = []
  const answers = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'test', version: '1' },
    }),
    'tools/list': () => ({ tools: tools.map(({ result, ...tool }) => tool) }),
    'tools/call': ({ name }) => tools.find((tool) => tool.name === name).result,
    ping: () => ({}),
  }
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return response.writeHead(202).end()
    if (method === 'tools/call') calls.push(body)
    const result = answers[method]?.(params)
    const answer = result ? { result } : { error: { code: -32601, message: 'there is no such method' } }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${server.address().port}/`, calls }
}
