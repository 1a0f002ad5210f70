import type { Commands } from '../../state/commands'
import { type Command, commandTable } from '../../state/keyTable'
import type { ThreadSummary } from '../../transport/answers'

export type Entry =
  | { kind: 'thread'; id: string; thread: ThreadSummary }
  | { kind: 'command'; id: string; command: Command }
  | { kind: 'search'; id: string; query: string }

export interface EntryGroup {
  name: string
  items: Entry[]
}

/** So many threads are shown while nothing was searched for, and so many at most. */
const few = 5
const most = 30

/** The group of what leads to the search over all threads. */
export const everywhere = 'In all threads'

/**
 * What the palette offers for a query: threads, the commands that can be run now and hold every word of it, and to search for it in all
 * threads.
 */
export function entriesFor(query: string, threads: readonly ThreadSummary[], commands: Commands): EntryGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commandTable.filter(({ id, name, group }) => {
    if (id === 'palette' || id === 'menu' || !commands.can(id)) return false
    const text = `${name} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const groups: EntryGroup[] = [
    {
      name: 'Threads',
      items: threads
        .slice(0, words.length > 0 ? most : few)
        .map((thread) => ({ kind: 'thread', id: `thread:${thread.id}`, thread })),
    },
    { name: 'Commands', items: found.map((command) => ({ kind: 'command', id: command.id, command })) },
  ]
  if (words.length > 0)
    groups.push({ name: everywhere, items: [{ kind: 'search', id: 'search', query: query.trim() }] })
  return groups.filter((group) => group.items.length > 0)
}

/** What an entry is called. */
export function entryName(entry: Entry): string {
  if (entry.kind === 'search') return `Search all threads for ‘${entry.query}’`
  return entry.kind === 'thread' ? entry.thread.title || 'Untitled' : entry.command.name
}
