import { Cell } from './cell'

/** What the window shows: a thread, or a new one that is not made yet. */
export type Route = { kind: 'thread'; threadId: string } | { kind: 'new' }

export function parseRoute(hash: string): Route {
  const match = /^#\/t\/([^/]+)/.exec(hash)
  if (!match?.[1]) return { kind: 'new' }
  try {
    return { kind: 'thread', threadId: decodeURIComponent(match[1]) }
  } catch {
    return { kind: 'new' } // a broken escape names no thread
  }
}

export function formatRoute(route: Route): string {
  return route.kind === 'thread' ? `#/t/${encodeURIComponent(route.threadId)}` : '#/new'
}

/** The route as the address has it. */
export class Router {
  readonly route: Cell<Route>

  constructor() {
    this.route = new Cell(parseRoute(location.hash))
    addEventListener('hashchange', () => this.route.set(parseRoute(location.hash)))
  }

  go(route: Route): void {
    location.hash = formatRoute(route)
    this.route.set(route)
  }
}
