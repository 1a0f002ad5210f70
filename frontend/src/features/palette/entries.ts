import type { Commands } from '../../state/commands'
import { type Command, commandTable } from '../../state/keyTable'
import type { ThreadSummary } from '../../transport/answers'

export type Entry =
  | { kind: 'thread'; id: string; thread: ThreadSummary }
  | { kind: 'command'; id: string; command: Command }

export interface EntryGroup {
  name: string
  items: Entry[]
}

/** So many threads are shown while nothing was searched for, and so many at most. */
const few = 5
const most = 30

/** What the palette offers for a query: threads, and the commands that can be run now and hold every word of it. */
export function entriesFor(query: string, threads: readonly ThreadSummary[], commands: Commands): EntryGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commandTable.filter(({ id, name, group }) => {
    if (id === 'palette' || !commands.can(id)) return false
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
  return groups.filter((group) => group.items.length > 0)
}

/** What an entry is called. */
export function entryName(entry: Entry): string {
  return entry.kind === 'thread' ? entry.thread.title || 'Untitled' : entry.command.name
}
