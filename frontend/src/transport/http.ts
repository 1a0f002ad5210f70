import { newSseReader } from '../protocol/sse'
import { fields, isFields, parse, text } from './decode'
import { browserNotifying } from './notifying'
import { ring } from './ring'
import { type Connection, type Ring, request, type Transport } from './transport'

const doorbell = '/api/doorbell'
/** The server says something every 5 s; this long a silence, in ms, means it is gone. */
const silence = 16_000
/** Waits between tries, in ms; the last one repeats. */
const waits = [1000, 2000, 4000, 8000]

/** The transport of a browser: requests, and one stream of server-sent events as the doorbell. */
export function httpTransport(): Transport {
  let wake: (() => void) | undefined
  return {
    host: {
      openExternal: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
      notifying: browserNotifying(),
      link: (hash) => `${location.origin}${location.pathname}${hash}`,
    },
    request,
    listen(onRing, onConnection) {
      const closing = new AbortController()
      const sleep = (ms: number) =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      void keepListening(closing.signal, onRing, onConnection, sleep)
      return () => {
        closing.abort()
        wake?.()
      }
    },
    retry: () => wake?.(),
  }
}

/** Listens, and after a loss again, until it is closed or the server refuses. */
async function keepListening(
  closed: AbortSignal,
  onRing: (ring: Ring) => void,
  onConnection: (c: Connection) => void,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  let tries = 0
  let since = 0
  onConnection({ state: 'connecting' })
  while (!closed.aborted) {
    const opened = () => {
      tries = 0
      since = 0
      onConnection({ state: 'open' })
    }
    const reason = await listenOnce(closed, opened, onRing).catch(reasonOf)
    if (closed.aborted) return
    if (reason instanceof Refused) {
      onConnection({ state: 'refused', reason: reason.message })
      return
    }
    since ||= Date.now()
    const wait = waits[Math.min(tries, waits.length - 1)] ?? 0
    tries++
    onConnection({ state: 'lost', since, retryAt: Date.now() + wait, reason })
    await sleep(wait)
  }
}

class Refused extends Error {}

function reasonOf(cause: unknown): string | Refused {
  if (cause instanceof Refused) return cause
  return cause instanceof Error ? cause.message : String(cause)
}

/** Hears one stream to its end and says why it ended. */
async function listenOnce(closed: AbortSignal, opened: () => void, onRing: (ring: Ring) => void): Promise<string> {
  const quiet = new AbortController()
  let watchdog = setTimeout(() => quiet.abort(), silence)
  try {
    const signal = AbortSignal.any([closed, quiet.signal])
    const response = await fetch(doorbell, { headers: { Accept: 'text/event-stream' }, cache: 'no-store', signal })
    if (!response.ok || !response.body) throw await refusal(response)
    opened()
    const sse = newSseReader()
    const reader = response.body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'the stream ended'
      clearTimeout(watchdog)
      watchdog = setTimeout(() => quiet.abort(), silence)
      for (const event of sse.push(value)) {
        const payload = parse(event.data)
        if (isFields(payload)) onRing(ring(payload))
      }
    }
  } catch (cause) {
    if (quiet.signal.aborted) return `nothing came for ${silence / 1000} s`
    throw cause
  } finally {
    clearTimeout(watchdog)
  }
}

/** What to make of an answer that is no stream: without the right token it makes no sense to try again. */
async function refusal(response: Response): Promise<Error> {
  const said = text(fields(fields(parse(await response.text())).error), 'message')
  const message = said || `the server answers with status ${response.status}`
  return response.status === 401 || response.status === 403 ? new Refused(message) : new Error(message)
}
