import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import MessageSquare from 'lucide/dist/esm/icons/message-square.mjs'
import Search from 'lucide/dist/esm/icons/search.mjs'
import Command from 'lucide/dist/esm/icons/square-terminal.mjs'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import { keyWords } from '../../state/keyTable'
import type { ThreadSummary } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Kbd } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { threadLine } from '../threads/groups'
import { type Entry, type EntryGroup, entriesFor, entryName, everywhere } from './entries'

/** Threads by their title and every command that can be run now, in one list to search. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const app = useApp()
  const chosen = useRef<Entry>(undefined)
  const closed = useCallback(() => {
    const entry = chosen.current
    chosen.current = undefined
    if (entry?.kind === 'thread') app.router.go({ kind: 'thread', threadId: entry.thread.id })
    else if (entry?.kind === 'search') app.search(entry.query)
    else if (entry) app.commands.run(entry.command.id)
  }, [app])
  const choose = (entry: Entry) => {
    chosen.current = entry
    onClose()
  }
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fixed inset-0 z-40 bg-scrim data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          aria-label="Search threads and commands"
          className="fade fixed top-[8dvh] left-1/2 z-40 flex max-h-[min(560px,84dvh)] w-[min(40rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-block border border-border bg-surface shadow-popover outline-none data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <Content onChoose={choose} onClosed={closed} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface Props {
  onChoose: (entry: Entry) => void
  /** The palette is gone, and the focus back where it came from. */
  onClosed: () => void
}

function Content({ onChoose, onClosed }: Props) {
  const { commands } = useApp()
  const [query, setQuery] = useState('')
  const [threads, fault] = useThreads(query.trim())
  const version = useCell(commands.version)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that what can be run changed
  const groups = useMemo(() => entriesFor(query, threads, commands), [query, threads, commands, version])
  // The dialog gives the focus back in a microtask; what was chosen may take it elsewhere after that.
  useEffect(() => () => void setTimeout(onClosed), [onClosed])
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={query}
      onValueChange={(next, { reason }) => reason !== 'item-press' && setQuery(next)}
      itemToStringValue={entryName}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex h-11 shrink-0 items-center gap-2 border-b border-border px-3">
        <Icon node={Search} className="text-faint" />
        <Autocomplete.Input
          aria-label="Search threads and commands"
          placeholder="Search threads and commands"
          spellCheck={false}
          className="h-full min-w-0 flex-1 bg-transparent text-prose outline-none placeholder:text-faint"
        />
        <Dialog.Close className="h-6 rounded-control px-1 text-faint hover:text-text">
          <span className="sr-only">Close</span>
          <Kbd>Esc</Kbd>
        </Dialog.Close>
      </div>
      {fault && (
        <p className="px-4 pt-3 text-small text-err [overflow-wrap:anywhere]">The threads were not read: {fault}</p>
      )}
      {groups.every(({ name }) => name === everywhere) && (
        <p role="status" className="px-4 pt-4 pb-2 text-center text-muted [overflow-wrap:anywhere]">
          {query.trim() && (
            <>
              No thread’s title and no command matches ‘<Verbatim text={query.trim()} />
              ’.
            </>
          )}
        </p>
      )}
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1 outline-none empty:p-0">
        {(group: EntryGroup) => (
          <Autocomplete.Group key={group.name} items={group.items}>
            <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-small font-semibold text-faint">
              {group.name}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(entry: Entry) => (
                <Autocomplete.Item
                  key={entry.id}
                  value={entry}
                  onClick={() => onChoose(entry)}
                  className="flex min-h-8 scroll-my-2 items-center gap-2 rounded-control px-3 select-none data-highlighted:bg-raised"
                >
                  <Line entry={entry} />
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

function Line({ entry }: { entry: Entry }) {
  const now = useNow(entry.kind === 'thread', 30_000)
  if (entry.kind === 'thread') {
    return (
      <>
        <Icon node={MessageSquare} size={14} className="text-faint" />
        <span className="min-w-0 flex-1 truncate">
          <Verbatim text={entryName(entry)} />
        </span>
        <span className="tnum max-w-[45%] truncate text-small text-faint">{threadLine(entry.thread, now)}</span>
      </>
    )
  }
  if (entry.kind === 'search') {
    return (
      <>
        <Icon node={Search} size={14} className="text-faint" />
        <span className="min-w-0 flex-1 truncate">
          <Verbatim text={entryName(entry)} />
        </span>
      </>
    )
  }
  const { keys, onList } = entry.command
  return (
    <>
      <Icon node={Command} size={14} className="text-faint" />
      <span className="min-w-0 flex-1 truncate">{entry.command.name}</span>
      <span className="flex shrink-0 gap-1 text-muted">
        {[...keys, ...(onList ? [onList] : [])].map((key) => (
          <Kbd key={key}>{keyWords(key)}</Kbd>
        ))}
      </span>
    </>
  )
}

/** The threads a query names, read a moment after it was typed; those of before stay until then. */
function useThreads(query: string): [readonly ThreadSummary[], string | undefined] {
  const app = useApp()
  const [threads, setThreads] = useState<readonly ThreadSummary[]>([])
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    let wanted = true
    const read = () =>
      app.api.threads(query).then(
        (answer) => {
          if (!wanted) return
          setThreads(answer)
          setFault(undefined)
        },
        (cause: unknown) => wanted && setFault(messageOf(cause)),
      )
    const timer = setTimeout(() => void read(), query ? 100 : 0)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [app, query])
  return [threads, fault]
}
