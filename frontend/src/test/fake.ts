import type { Answer, Connection, Host, Ring, Transport } from '../transport/transport'

/** A request that was made, as a test reads it. */
export interface Asked {
  method: string
  path: string
  body?: string
}

type Reply = Answer | Promise<Answer>

/** A transport without a server: it answers from a table of routes, rings when told to, and remembers what it was asked. */
export class FakeTransport implements Transport {
  readonly host: Host = { openExternal: () => undefined }
  readonly asked: Asked[] = []
  readonly #routes = new Map<string, (asked: Asked) => Reply>()
  #ring: ((ring: Ring) => void) | undefined
  #connection: ((connection: Connection) => void) | undefined

  /** Answers requests to "METHOD /path", whatever their query. */
  on(route: string, reply: (asked: Asked) => Reply): this {
    this.#routes.set(route, reply)
    return this
  }

  async request(method: string, path: string, sent?: string | Blob): Promise<Answer> {
    const body = sent instanceof Blob ? await textOf(sent) : sent
    const asked = { method, path, body }
    this.asked.push(asked)
    const reply = this.#routes.get(`${method} ${path.split('?')[0]}`)
    if (!reply) return refused(404, 'NOT_FOUND', `nothing answers ${method} ${path}`)
    return reply(asked)
  }

  listen(onRing: (ring: Ring) => void, onConnection: (c: Connection) => void): () => void {
    this.#ring = onRing
    this.#connection = onConnection
    onConnection({ state: 'open' })
    return () => undefined
  }

  retry(): void {
    this.connect({ state: 'open' })
  }

  ring(ring: Ring): void {
    this.#ring?.(ring)
  }

  connect(connection: Connection): void {
    this.#connection?.(connection)
  }
}

/** The text of a file: jsdom's have no method for it. */
function textOf(file: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.readAsText(file)
  })
}

export function ok(value: unknown): Answer {
  return { status: 200, text: typeof value === 'string' ? value : JSON.stringify(value) }
}

export function refused(status: number, code: string, message: string): Answer {
  return { status, text: JSON.stringify({ error: { message, code } }) }
}

/** The answer of a run's events: each line of the log is an event without its number. */
export function events(lines: readonly string[], after: number, status: string): Answer {
  const numbered = lines.slice(after).map((line, index) => `{"seq":${after + index + 1},${line.slice(1)}`)
  return ok(`{"events":[\n${numbered.join(',\n')}\n],"last":${lines.length},"status":"${status}"}`)
}

/** The number a request for events asks to go on after. */
export function afterOf(asked: Asked): number {
  return Number(new URLSearchParams(asked.path.split('?')[1]).get('after'))
}
