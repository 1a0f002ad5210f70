import { Cell } from './cell'

/** An event of a run, by its number in the run's log. */
export interface RouteMoment {
  runId: string
  seq: number
}

/**
 * What the window shows: a thread, as it is or as it was at a moment, a new one that is not made yet, the tools, or one of them, or a
 * search over all threads, asked as the query of an address is written.
 */
export type Route =
  | { kind: 'thread'; threadId: string; moment?: RouteMoment }
  | { kind: 'tools'; tool?: { source: string; name: string } }
  | { kind: 'search'; asked: string }
  | { kind: 'new' }

export function parseRoute(hash: string): Route {
  if (hash === '#/tools' || hash.startsWith('#/tools/')) return toolsRoute(hash)
  const [search, , asked = ''] = /^#\/search(\?(.*))?$/.exec(hash) ?? []
  if (search) return { kind: 'search', asked }
  const [, thread, run, seq] = /^#\/t\/([^/]+)(?:\/r\/([^/]+)\/e\/(\d{1,15})$)?/.exec(hash) ?? []
  if (!thread) return { kind: 'new' }
  try {
    const threadId = decodeURIComponent(thread)
    if (!run) return { kind: 'thread', threadId }
    return { kind: 'thread', threadId, moment: { runId: decodeURIComponent(run), seq: Number(seq) } }
  } catch {
    return { kind: 'new' } // a broken escape names no thread
  }
}

function toolsRoute(hash: string): Route {
  const [, source, name] = /^#\/tools\/([^/]+)\/([^/]+)$/.exec(hash) ?? []
  if (!source || !name) return { kind: 'tools' }
  try {
    return { kind: 'tools', tool: { source: decodeURIComponent(source), name: decodeURIComponent(name) } }
  } catch {
    return { kind: 'tools' }
  }
}

export function formatRoute(route: Route): string {
  if (route.kind === 'new') return '#/new'
  if (route.kind === 'tools') {
    const { tool } = route
    return tool ? `#/tools/${encodeURIComponent(tool.source)}/${encodeURIComponent(tool.name)}` : '#/tools'
  }
  if (route.kind === 'search') return route.asked ? `#/search?${route.asked}` : '#/search'
  const thread = `#/t/${encodeURIComponent(route.threadId)}`
  return route.moment ? `${thread}/r/${encodeURIComponent(route.moment.runId)}/e/${route.moment.seq}` : thread
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

  /** Goes there in place of where it is, so that Back does not lead through it. */
  replace(route: Route): void {
    history.replaceState(null, '', formatRoute(route))
    this.route.set(route)
  }
}
