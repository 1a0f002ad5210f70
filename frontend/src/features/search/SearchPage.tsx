import Search from 'lucide/dist/esm/icons/search.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useCommand } from '../../state/useCommand'
import { IconButton } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Filters } from './Filters'
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
  useEffect(() => store.ask(asked), [store, asked])
  // Who comes back stands where they were; who comes to search, in the field.
  const arrive = useEffectEvent(() => {
    const { phase, active, asked: found } = store.state.get()
    const back = phase === 'ready' && found === asked
    if (!back || !focusHit(list.current, active)) field.current?.focus()
  })
  useEffect(() => {
    arrive()
    return () => store.rest()
  }, [store])
  useCommand('search', () => {
    field.current?.select()
    field.current?.focus()
  })
  const change = (part: Partial<Query>) =>
    app.router.replace({ kind: 'search', asked: formatQuery({ ...query, ...part }) })
  const clear = () => {
    change({ q: '' })
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
        <Filters query={query} tools={state.tools} agents={state.agents} onChange={change} />
      </search>
      <Results
        ref={list}
        state={state}
        query={query}
        onGo={(at) => store.go(at)}
        onMore={() => void store.more()}
        onAgain={() => store.again()}
        onClear={clear}
        onWiden={() => change({ ...nothing, q: query.q })}
        onLeave={() => field.current?.focus()}
        onOpen={(hit) => {
          const mark = hit.marks[0]
          app.lead({
            threadId: hit.threadId,
            runId: hit.runId,
            itemId: hit.itemId,
            callId: hit.toolCallId,
            text: mark ? hit.snippet.slice(mark.start, mark.end) : '',
          })
        }}
      />
    </main>
  )
}
