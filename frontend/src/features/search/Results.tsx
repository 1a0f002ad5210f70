import { type KeyboardEvent, type Ref, useImperativeHandle, useRef } from 'react'
import { useNow } from '../../state/clock'
import type { Hit } from '../../transport/search'
import { Button } from '../../ui/Button'
import { count, counted } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'
import { groupHits, hitKey } from './groups'
import { HitRow } from './HitRow'
import { isNarrowed, type Query } from './query'
import type { SearchState } from './searchStore'

interface Props {
  ref: Ref<HTMLDivElement>
  state: SearchState
  query: Query
  /** Another hit is looked at. */
  onGo: (at: number) => void
  onMore: () => void
  onAgain: () => void
  /** Asks for no words, or for them alone. */
  onClear: () => void
  onWiden: () => void
  /** Back to the field. */
  onLeave: () => void
  onOpen: (hit: Hit) => void
}

/** What was found, by thread, and what there is to say about it. */
export function Results({ ref, state, query, onGo, onMore, onAgain, onClear, onWiden, onLeave, onOpen }: Props) {
  const { hits, active, phase, fault, before, more } = state
  const now = useNow(true, 30_000)
  const list = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => list.current as HTMLDivElement)
  const go = (to: number) => {
    if (to >= hits.length) onMore()
    const at = Math.max(0, Math.min(hits.length - 1, to))
    onGo(at)
    focusHit(list.current, at)
  }
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.hit === undefined) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown') go(active + 1)
    else if (event.key === 'ArrowUp' && active > 0) go(active - 1)
    else if (event.key === 'ArrowUp' || event.key === 'Escape') onLeave()
    else if (event.key === 'PageDown') go(Math.min(hits.length - 1, active + 8))
    else if (event.key === 'PageUp') go(active - 8)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(hits.length - 1)
    else return
    event.preventDefault()
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-8 pb-6 max-sm:px-3" aria-busy={phase === 'loading' || undefined}>
      <Said state={state} query={query} />
      {fault && (
        <Notice
          tone="err"
          role="alert"
          className="mb-2"
          actions={
            phase !== 'idle' && (
              <Button small onClick={phase === 'failed' ? onAgain : onMore}>
                Try again
              </Button>
            )
          }
        >
          {fault}
        </Notice>
      )}
      {phase === 'ready' && hits.length === 0 && (
        <Nothing
          query={query}
          limit={state.limit}
          further={before > 0}
          more={more}
          onMore={onMore}
          onClear={onClear}
          onWiden={onWiden}
        />
      )}
      {phase === 'idle' && !fault && <Hint limit={state.limit} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the hits in it */}
      <div
        ref={list}
        onKeyDown={press}
        className={phase === 'loading' || phase === 'failed' ? 'opacity-60' : undefined}
      >
        {groupHits(hits).map((group) => (
          <section key={group.first} aria-label={group.title || 'Untitled'} className="pb-3">
            <h2 className="truncate pt-2 pb-1 text-small font-semibold text-muted">
              <Verbatim text={group.title || 'Untitled'} />
            </h2>
            <ul className="flex flex-col">
              {group.hits.map((hit, index) => (
                <HitRow
                  key={hitKey(hit)}
                  hit={hit}
                  now={now}
                  at={group.first + index}
                  active={group.first + index === active}
                  onFocus={onGo}
                  onOpen={onOpen}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {hits.length > 0 && before > 0 && phase === 'ready' && (
        <Button busy={more} onClick={onMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

/** How much was found, for eyes and ears. */
function Said({ state: { phase, hits, before, behind, indexFault }, query }: { state: SearchState; query: Query }) {
  const busy = phase === 'loading' || (phase === 'ready' && behind > 0)
  return (
    <div role="status" className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 py-2 text-small text-muted">
      {busy && <Spinner size={14} />}
      {phase === 'loading' && 'Searching…'}
      {phase === 'ready' && hits.length > 0 && (
        <span className="tnum">
          {before > 0 ? `${count(hits.length)} of many, the newest first` : `${count(hits.length)} found`}
        </span>
      )}
      {phase === 'ready' && hits.length === 0 && <span className="sr-only">Nothing matches {query.q}</span>}
      {phase === 'ready' && behind > 0 && (
        <span>{counted(behind, 'run')} not wholly searched yet: more may turn up.</span>
      )}
      {phase === 'ready' && indexFault && (
        <span className="text-err [overflow-wrap:anywhere]">What is new cannot be searched: {indexFault}</span>
      )}
    </div>
  )
}

interface NothingProps {
  query: Query
  limit: number
  /** What is older was not looked through. */
  further: boolean
  more: boolean
  onMore: () => void
  onClear: () => void
  onWiden: () => void
}

function Nothing({ query, limit, further, more, onMore, onClear, onWiden }: NothingProps) {
  return (
    <div className="flex flex-col items-center gap-3 py-10 text-center text-muted">
      <p className="[overflow-wrap:anywhere]">
        {query.q.trim() ? (
          <>
            Nothing matches ‘<Verbatim text={query.q.trim()} />’{isNarrowed(query) && ' with these filters'}
            {further && ' so far'}.
          </>
        ) : (
          'Nothing matches these filters.'
        )}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {further && (
          <Button busy={more} onClick={onMore}>
            Look further back
          </Button>
        )}
        {query.q && <Button onClick={onClear}>Clear search</Button>}
        {isNarrowed(query) && <Button onClick={onWiden}>Clear filters</Button>}
      </div>
      <Searched limit={limit} />
    </div>
  )
}

function Hint({ limit }: { limit: number }) {
  return (
    <div className="flex flex-col items-center gap-2 py-10 text-center text-muted">
      <p>
        Searches what was said and done in every thread: messages, answers, reasoning, arguments, results with their
        details, errors, and the last progress of a call.
      </p>
      <p className="text-small text-faint">
        Any part of a word is found, in capitals or not. Put “a phrase” in quotation marks. A filter alone lists all it
        fits.
      </p>
      <Searched limit={limit} />
    </div>
  )
}

/** How much of a long text is searched, for who wonders what is not found. */
function Searched({ limit }: { limit: number }) {
  if (limit === 0) return null
  return <p className="text-small text-faint">Of a longer text the first {count(limit / 1024)} KiB are searched.</p>
}

/** Gives the focus to a hit and brings it into view; false when there is none. */
export function focusHit(list: HTMLElement | null, at: number): boolean {
  const hit = list?.querySelector<HTMLElement>(`[data-hit="${at}"]`)
  hit?.focus({ preventScroll: true })
  hit?.scrollIntoView({ block: 'nearest' })
  return hit !== null && hit !== undefined
}
