import clsx from 'clsx'
import FileInput from 'lucide/dist/esm/icons/file-input.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import Search from 'lucide/dist/esm/icons/search.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type KeyboardEvent, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import type { ThreadListState } from '../../state/threadList'
import type { ThreadSummary } from '../../transport/answers'
import { isLost } from '../../transport/transport'
import { Button, IconButton } from '../../ui/Button'
import { elapsed } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'
import { groupThreads, threadLine } from './groups'

/** In a narrow window the list lies over the thread. */
const over = 'max-[719px]:absolute max-[719px]:inset-y-0 max-[719px]:left-0 max-[719px]:z-30 max-[719px]:shadow-popover'

/** The threads: what needs a person first, then the newest. */
export function Sidebar() {
  const app = useApp()
  const list = useCell(app.threads.state)
  const [query, setQuery] = useState('')
  const onImport = () => app.share.set({ kind: 'import' })
  const search = (next: string) => {
    setQuery(next)
    app.threads.search(next.trim())
  }
  return (
    <aside className={clsx('flex w-[16.25rem] shrink-0 flex-col border-r border-border bg-surface', over)}>
      <div className="flex flex-col gap-2 p-2">
        <div className="flex items-center gap-1">
          <Button icon={Plus} className="min-w-0 flex-1" onClick={() => app.router.go({ kind: 'new' })}>
            New thread
          </Button>
          <IconButton icon={FileInput} label="Import a thread…" className="h-7 w-7" onClick={onImport} />
        </div>
        <div className="flex h-7 items-center gap-2 rounded-control border border-faint bg-bg pr-1 pl-2 focus-within:border-accent">
          <Icon node={Search} size={14} className="text-faint" />
          <input
            type="search"
            aria-label="Search threads"
            placeholder="Search threads"
            className="min-w-0 flex-1 appearance-none bg-transparent text-small outline-none placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
            value={query}
            onChange={(event) => search(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !query) return
              event.preventDefault()
              search('')
            }}
          />
          {query && (
            <IconButton icon={X} label="Clear search" size={12} className="h-5 w-5" onClick={() => search('')} />
          )}
        </div>
      </div>
      <nav aria-label="Threads" className="min-h-0 flex-1 overflow-y-auto px-2 pb-4" onKeyDown={moveFocus}>
        <List list={list} onClear={() => search('')} />
      </nav>
    </aside>
  )
}

function List({ list, onClear }: { list: ThreadListState; onClear: () => void }) {
  const app = useApp()
  const now = useNow(true, 30_000)
  const { phase, threads, query } = list
  const connection = useCell(app.connection)
  const fault = isLost(connection) ? undefined : list.fault
  if (phase === 'loading') {
    return (
      <p className="flex items-center gap-2 p-2 text-small text-muted">
        <Spinner size={14} /> Reading the threads…
      </p>
    )
  }
  return (
    <>
      {fault && (
        <div className="flex flex-col items-start gap-2 p-2 text-small text-err">
          <p className="[overflow-wrap:anywhere]">{fault}</p>
          <Button small onClick={() => void app.threads.refresh()}>
            Try again
          </Button>
        </div>
      )}
      {threads.length === 0 &&
        !list.fault &&
        (query ? <NothingFound query={query} onClear={onClear} /> : <NoThreads />)}
      {groupThreads(threads, now).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h2 className="px-2 pt-3 pb-1 text-small font-semibold text-faint">{group.name}</h2>
          {group.threads.map((thread) => (
            <ThreadItem key={thread.id} thread={thread} now={now} />
          ))}
        </section>
      ))}
    </>
  )
}

function NoThreads() {
  const app = useApp()
  // A model set by flags plays no demo.
  const demo = useCell(app.studio.cell).state?.overrideLabel === undefined
  return (
    <div className="flex flex-col items-start gap-2 p-2 text-small text-muted">
      <p>{demo ? 'No threads yet. Start one, or open the demo.' : 'No threads yet. Start one.'}</p>
      {demo && (
        <Button small onClick={() => app.openDemo()}>
          Open demo
        </Button>
      )}
    </div>
  )
}

function NothingFound({ query, onClear }: { query: string; onClear: () => void }) {
  const app = useApp()
  return (
    <div className="flex flex-col items-start gap-2 p-2 text-small text-muted">
      <p className="[overflow-wrap:anywhere]">
        Nothing matches ‘<Verbatim text={query} />
        ’.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button small onClick={onClear}>
          Clear search
        </Button>
        <Button small onClick={() => app.search(query)}>
          Search what was said
        </Button>
      </div>
    </div>
  )
}

function ThreadItem({ thread, now: minute }: { thread: ThreadSummary; now: number }) {
  const app = useApp()
  const route = useCell(app.router.route)
  const current = route.kind === 'thread' && route.threadId === thread.id
  const waits = thread.pendingApprovals > 0
  const now = Math.max(useNow(waits), minute)
  return (
    <button
      type="button"
      data-thread-id={thread.id}
      data-status={thread.status ?? ''}
      aria-current={current ? 'page' : undefined}
      onClick={() => app.router.go({ kind: 'thread', threadId: thread.id })}
      className={clsx('block w-full rounded-control px-2 py-1.5 text-left', current ? 'bg-raised' : 'hover:bg-raised')}
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate">
          <Verbatim text={thread.title || 'Untitled'} />
        </span>
        {waits && (
          <span className="tnum shrink-0 text-small text-wait">
            {thread.pendingApprovals > 1 ? `${thread.pendingApprovals} approvals` : 'approval'}
            {thread.waitingSince > 0 && `, ${elapsed(Math.max(0, now - thread.waitingSince))}`}
          </span>
        )}
        {thread.status === 'running' && <Spinner size={12} className="self-center text-run" />}
      </span>
      <span className={clsx('tnum block truncate text-small', thread.status === 'failed' ? 'text-err' : 'text-muted')}>
        {threadLine(thread, now)}
      </span>
    </button>
  )
}

/** Up and Down go from thread to thread. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-thread-id]')]
  const focused = document.activeElement
  const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1
  items[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
  event.preventDefault()
}
