// @vitest-environment node
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpTransport } from './http'
import type { Connection, Ring } from './transport'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A doorbell that can be rung and cut. */
function doorbell() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made
    },
  })
  return {
    response: new Response(body, { status: 200 }),
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    cut: () => controller?.close(),
  }
}

function listen(...answers: (() => Response | Promise<Response>)[]) {
  const rings: Ring[] = []
  const states: Connection[] = []
  const fetched = vi.fn(async (_: string) =>
    (answers[fetched.mock.calls.length - 1] ?? answers.at(-1) ?? Response.error)(),
  )
  vi.stubGlobal('fetch', fetched)
  const transport = httpTransport()
  const stop = transport.listen(
    (ring) => rings.push(ring),
    (state) => states.push(state),
  )
  return { rings, states, fetched, transport, stop, words: () => states.map((state) => state.state) }
}

describe('the doorbell over HTTP', () => {
  it('gives each ring, and not the signs of life between them', async () => {
    const bell = doorbell()
    const { rings, states, stop } = listen(() => bell.response)
    await vi.waitFor(() => expect(states.at(-1)?.state).toBe('open'))
    bell.write(': keep-alive\n\ndata: {"runId":"r1","threadId":"t1","last":4,"status":"running"}\n\ndata: nonsense\n\n')
    await vi.waitFor(() =>
      expect(rings).toEqual([{ runId: 'r1', threadId: 't1', last: 4, status: 'running', error: undefined }]),
    )
    stop()
  })

  it('says when it is lost, tries again later and later, and at once when asked to', async () => {
    const bell = doorbell()
    const failing = () => Promise.reject(new Error('refused'))
    const { states, fetched, transport, stop } = listen(
      () => bell.response,
      failing,
      failing,
      () => doorbell().response,
    )
    await vi.waitFor(() => expect(states.at(-1)?.state).toBe('open'))
    bell.cut()
    const waits: number[] = []
    for (const tries of [1, 2, 3]) {
      await vi.waitFor(() => expect(states.filter((state) => state.state === 'lost')).toHaveLength(tries))
      const state = states.at(-1)
      if (state?.state === 'lost') waits.push(Math.round((state.retryAt - Date.now()) / 1000))
      transport.retry()
    }
    expect(waits).toEqual([1, 2, 4])
    await vi.waitFor(() => expect(states.at(-1)?.state).toBe('open'))
    expect(fetched).toHaveBeenCalledTimes(4)
    stop()
  })

  it('takes a long silence for a loss', async () => {
    vi.useFakeTimers()
    const { states, stop } = listen(
      () => new Promise(() => undefined), // never answers
    )
    vi.stubGlobal(
      'fetch',
      (_: string, init: { signal: AbortSignal }) =>
        new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(new Error('aborted')))),
    )
    expect(states.at(-1)?.state).toBe('connecting')
    stop()
    const second = httpTransport().listen(
      () => undefined,
      (state) => states.push(state),
    )
    await vi.advanceTimersByTimeAsync(17_000)
    expect(states.at(-1)).toMatchObject({ state: 'lost', reason: 'nothing came for 16 s' })
    second()
  })

  it.each([401, 403])('does not try again when it is not let in: %i', async (status) => {
    const refusal = () =>
      Response.json({ error: { message: 'the token is missing', code: 'UNAUTHORIZED' } }, { status })
    const { states, fetched } = listen(refusal)
    await vi.waitFor(() => expect(states.at(-1)).toEqual({ state: 'refused', reason: 'the token is missing' }))
    expect(fetched).toHaveBeenCalledTimes(1)
  })
})
