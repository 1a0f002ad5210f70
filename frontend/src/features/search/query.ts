import { type Kind, kinds, states } from '../../transport/search'

/** How far back a search looks: so many days, or between two days. */
export const times = ['', '1', '7', '30', 'range'] as const
export type Time = (typeof times)[number]

/** What is searched for in all threads. What is empty does not narrow it. */
export interface Query {
  q: string
  kind: Kind | ''
  tool: string
  state: (typeof states)[number] | ''
  agent: string
  time: Time
  /** The first and the last day of a range, "2026-11-30", as they pass where the reader is. */
  from: string
  to: string
}

export const nothing: Query = { q: '', kind: '', tool: '', state: '', agent: '', time: '', from: '', to: '' }

/** Reads the query of an address. What it does not know is left out. */
export function parseQuery(asked: string): Query {
  const of = new URLSearchParams(asked)
  const text = (name: string) => of.get(name) ?? ''
  const oneOf = <W extends string>(name: string, words: readonly W[]) => words.find((each) => each === text(name)) ?? ''
  const time = oneOf('time', times)
  const day = (name: string) => (time === 'range' && !Number.isNaN(startOf(text(name))) ? text(name) : '')
  return {
    q: text('q'),
    kind: oneOf('kind', kinds),
    tool: text('tool'),
    state: oneOf('state', states),
    agent: text('agent'),
    time,
    from: day('from'),
    to: day('to'),
  }
}

/** The query of the address that shows a search. */
export function formatQuery(query: Query): string {
  const of = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) of.set(name, value)
  return of.toString()
}

/** How the server is asked; undefined where nothing is searched for. */
export function serverQuery({ q, kind, tool, state, agent, time, from, to }: Query, now: number): string | undefined {
  const of = new URLSearchParams()
  for (const [name, value] of Object.entries({ q: q.trim(), kind, tool, state, agent })) if (value) of.set(name, value)
  if (of.size === 0) return undefined
  if (time === 'range') {
    if (from) of.set('from', String(startOf(from)))
    if (to) of.set('to', String(endOf(to)))
  } else if (time) of.set('from', String(now - Number(time) * 86_400_000))
  return of.toString()
}

/** Whether anything but words narrows a search. */
export function isNarrowed(query: Query): boolean {
  return Object.entries(query).some(([name, value]) => name !== 'q' && value !== '')
}

/** So many tools are offered at most, and for so many letters at least. */
const mostNamed = 3
const leastLetters = 3

/**
 * The tools a search names, as people write their names, or what their calls are called: "run command" and "Run-com" name run_command,
 * and "look around" names list_files where that is the label of its calls.
 */
export function namedTools(
  q: string,
  tools: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): string[] {
  const wanted = plain(q)
  if (wanted.length < leastLetters) return []
  return tools
    .filter((tool) => [tool, labels[tool] ?? ''].some((name) => plain(name).includes(wanted)))
    .slice(0, mostNamed)
}

/** What the calls of a tool are called, where its name does not say the same. */
export function otherLabel(tool: string, labels: Readonly<Record<string, string>>): string | undefined {
  const label = labels[tool]
  return label && plain(label) !== plain(tool) ? label : undefined
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Why a search cannot be asked as it is. */
export function faultOf({ time, from, to }: Query): string | undefined {
  if (time !== 'range' || !from || !to || from <= to) return undefined
  return 'The first day is later than the last.'
}

function startOf(day: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00`).getTime() : Number.NaN
}

/** The last millisecond of a day, however long it is. */
function endOf(day: string): number {
  const next = new Date(startOf(day))
  next.setDate(next.getDate() + 1)
  return next.getTime() - 1
}
