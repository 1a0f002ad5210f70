import Search from 'lucide/dist/esm/icons/search.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useCommand } from '../../state/useCommand'
import { IconButton } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Filters } from './Filters'
import { NamedTools } from './NamedTools'
import { formatQuery, nothing, parseQuery, type Query } from './query'
import { focusHit, Results } from './Results'
import { searchOf } from './searchStore'

/** The search over all threads. What is asked is in its address; Back leads to what was found, and the place in it. */
export function SearchPage({ asked }: { asked: string }) {
  const app = useApp()
  const store = searchOf(app)
  const state = useCell(store.state)
  const query = parseQuery(asked)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  // What was asked is chosen, so that typing begins anew.
  const toField = () => {
    field.current?.select()
    field.current?.focus()
  }
  useEffect(() => store.ask(asked), [store, asked])
  // Who comes back stands where they were; who comes to search, in the field.
  const arrive = useEffectEvent(() => {
    const { phase, active, asked: found } = store.state.get()
    const back = !app.asking && phase === 'ready' && found === asked
    app.asking = false
    if (!back || !focusHit(list.current, active)) toField()
  })
  useEffect(() => {
    arrive()
    return () => store.rest()
  }, [store])
  useCommand('search', toField)
  const change = (part: Partial<Query>) =>
    app.router.replace({ kind: 'search', asked: formatQuery({ ...query, ...part }) })
  const clear = () => {
    change({ q: '' })
    field.current?.focus()
  }
  // The button that was pressed is gone with what it cleared.
  const widen = () => {
    change({ ...nothing, q: query.q })
    field.current?.focus()
  }
  const showTool = (tool: string) => {
    change({ q: '', tool })
    field.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && query.q) clear()
    else if (event.key === 'ArrowDown' || event.key === 'Enter') focusHit(list.current, state.active)
    else return
    event.preventDefault()
  }
  return (
    <main aria-label="Search all threads" className="flex min-w-0 flex-1 flex-col">
      <search
        aria-label="Search all threads"
        className="flex shrink-0 flex-col gap-2 border-b border-border bg-surface px-8 py-3 max-sm:px-3"
      >
        <h1 className="sr-only">Search all threads</h1>
        <div className="flex h-9 items-center gap-2 rounded-control border border-faint bg-bg pr-2 pl-3 focus-within:border-accent">
          <Icon node={Search} className="text-faint" />
          <input
            ref={field}
            type="search"
            aria-label="Search all threads"
            placeholder="Search messages, arguments, results and errors"
            autoComplete="off"
            spellCheck={false}
            className="min-w-0 flex-1 appearance-none bg-transparent text-prose outline-none placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
            value={query.q}
            onChange={(event) => change({ q: event.target.value })}
            onKeyDown={press}
          />
          {query.q && <IconButton icon={X} label="Clear search" size={14} onClick={clear} />}
        </div>
        <Filters
          query={query}
          tools={state.tools}
          labels={state.labels}
          agents={state.agents}
          onChange={change}
          onClear={widen}
        />
        <NamedTools query={query} tools={state.tools} labels={state.labels} onShow={showTool} />
      </search>
      <Results
        ref={list}
        state={state}
        query={query}
        onGo={(at) => store.go(at)}
        onMore={() => void store.more()}
        onAgain={() => store.again()}
        onClear={clear}
        onWiden={widen}
        onLeave={() => field.current?.focus()}
        onOpen={(hit) => {
          const { threadId, runId, seq } = hit
          // Progress is not shown any more once its call has ended: it leads to the moment it was.
          if (hit.kind === 'progress') {
            app.router.go({ kind: 'thread', threadId, moment: { runId, seq } })
            return
          }
          const mark = hit.marks[0]
          app.lead({
            threadId,
            runId,
            itemId: hit.itemId,
            callId: hit.toolCallId,
            text: mark ? hit.snippet.slice(mark.start, mark.end) : '',
          })
        }}
      />
    </main>
  )
}
