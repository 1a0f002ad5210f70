import clsx from 'clsx'
import Search from 'lucide/dist/esm/icons/search.mjs'
import ShieldQuestionMark from 'lucide/dist/esm/icons/shield-question-mark.mjs'
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { SourceTool, ToolSource } from '../../transport/tools'
import { Button } from '../../ui/Button'
import { count } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Spinner } from '../../ui/Spinner'
import { ToolIcon } from '../../ui/ToolIcon'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { matching } from './matching'
import type { ToolName } from './ToolsPage'

interface Props {
  sources: ToolSource[]
  current?: ToolName
  /** The one that was looked at last: the list is come back to there. */
  last?: ToolName
  onAgain: () => void
}

/** The tools by their source, with a search. Up and Down go from tool to tool. */
export function ToolList({ sources, current, last, onAgain }: Props) {
  const app = useApp()
  const [query, setQuery] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const shown = matching(sources, query)
  const all = shown.flatMap((source) => source.tools.map((tool) => keyOf(source.id, tool.name)))
  const here = current ?? last
  const [active, setActive] = useState(() => here && keyOf(here.source, here.name))
  const stop = active !== undefined && all.includes(active) ? active : all[0]

  // Who comes back to the list stands where they left it; who comes anew may search at once.
  const open = current !== undefined
  const wasOpen = useRef(open)
  const toList = useEffectEvent(() => (wasOpen.current ? itemOf(box.current, active) : field.current)?.focus())
  useEffect(() => {
    if (!open) toList()
    wasOpen.current = open
  }, [open])

  // The one that is open is in sight, also where it was opened by its address.
  const opened = current && keyOf(current.source, current.name)
  const there = opened !== undefined && all.includes(opened)
  useEffect(() => {
    if (there) itemOf(box.current, opened)?.scrollIntoView({ block: 'nearest' })
  }, [there, opened])

  const press = (event: KeyboardEvent) => {
    const at = all.indexOf(stop ?? '')
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = all[to]
    if (next === undefined) {
      if (event.key === 'ArrowUp') field.current?.focus()
      return
    }
    setActive(next)
    itemOf(box.current, next)?.focus()
  }
  return (
    <>
      <div className="px-3 pb-2">
        <div className="flex h-7 items-center gap-2 rounded-control border border-faint bg-bg px-2 focus-within:border-accent">
          <Icon node={Search} size={14} className="text-faint" />
          <input
            ref={field}
            type="search"
            aria-label="Search tools"
            placeholder="Search tools"
            className="min-w-0 flex-1 bg-transparent text-small outline-none placeholder:text-faint"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' || event.key === 'Enter') {
                event.preventDefault()
                setActive(all[0])
                itemOf(box.current, all[0])?.focus()
              } else if (event.key === 'Escape' && query) {
                event.preventDefault()
                setQuery('')
              }
            }}
          />
        </div>
      </div>
      <nav ref={box} aria-label="Tools" className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-4" onKeyDown={press}>
        {shown.map((source) => (
          <section key={source.id} aria-label={source.label}>
            <Head source={source} onAgain={onAgain} />
            {source.tools.map((tool, index) => {
              const key = keyOf(source.id, tool.name)
              return (
                <Item
                  key={`${key} ${index}`}
                  id={key}
                  tool={tool}
                  current={current?.source === source.id && current.name === tool.name}
                  tabStop={key === stop}
                  onFocus={() => setActive(key)}
                  onOpen={() => app.router.go({ kind: 'tools', tool: { source: source.id, name: tool.name } })}
                />
              )
            })}
          </section>
        ))}
        {shown.length === 0 && (
          <div className="flex flex-col items-start gap-2 p-2 text-small text-muted">
            <p className="[overflow-wrap:anywhere]">
              Nothing matches ‘<Verbatim text={query} />
              ’.
            </p>
            <Button small onClick={() => setQuery('')}>
              Clear search
            </Button>
          </div>
        )}
      </nav>
    </>
  )
}

/** A source's name, how it is, and what can be done about that. */
function Head({ source, onAgain }: { source: ToolSource; onAgain: () => void }) {
  const app = useApp()
  const [busy, setBusy] = useState(false)
  const { id, label, description, off, state, fault, tools } = source
  const server = id.startsWith('mcp/') ? id.slice('mcp/'.length) : undefined
  const start = async () => {
    setBusy(true)
    try {
      if (server !== undefined) await app.api.testMcp(server)
      onAgain()
    } catch (cause) {
      toast(`${label} was not started: ${messageOf(cause)}`, 'err')
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="px-2 pt-3 pb-1 text-small">
      <h2 className="flex items-center gap-2 font-semibold text-faint">
        <span className="min-w-0 truncate" title={description}>
          <Verbatim text={label} />
        </span>
        {state === 'starting' ? (
          <span className="flex items-center gap-1 font-normal">
            <Spinner size={12} /> starting
          </span>
        ) : (
          <span className="tnum font-normal">{off ? 'off in Settings' : count(tools.length)}</span>
        )}
      </h2>
      {fault && (
        <div className="flex flex-col items-start gap-1 py-1">
          <p className="flex gap-1.5 text-wait">
            <Icon node={TriangleAlert} size={14} className="mt-px" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <Verbatim text={fault} />
            </span>
          </p>
          {server !== undefined && state === 'failed' && (
            <Button small busy={busy} onClick={() => void start()}>
              Start again
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

interface ItemProps {
  id: string
  tool: SourceTool
  current: boolean
  tabStop: boolean
  onFocus: () => void
  onOpen: () => void
}

function Item({ id, tool, current, tabStop, onFocus, onOpen }: ItemProps) {
  const { name, label, icon, description, fault, approval } = tool
  return (
    <button
      type="button"
      data-tool-key={id}
      tabIndex={tabStop ? 0 : -1}
      aria-current={current ? 'page' : undefined}
      onFocus={onFocus}
      onClick={onOpen}
      className={clsx(
        'flex w-full gap-2 rounded-control px-2 py-1.5 text-left',
        current ? 'bg-raised' : 'hover:bg-raised',
      )}
    >
      <ToolIcon name={icon} className="mt-0.5 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="flex min-w-0 flex-1 items-baseline gap-2">
            {label && (
              <span className="max-w-[70%] shrink-0 truncate">
                <Verbatim text={label} />
              </span>
            )}
            <span className={clsx('min-w-0 truncate font-mono text-code', label && 'text-faint')}>
              <Verbatim text={name || 'without a name'} />
            </span>
          </span>
          {fault && <Mark icon={TriangleAlert} tone="text-wait" words="Something is wrong with it" />}
          {approval !== undefined && approval !== 'never' && (
            <Mark icon={ShieldQuestionMark} tone="text-faint" words="Its calls may wait for approval" />
          )}
        </span>
        <span className="block truncate text-small text-muted">
          <Verbatim text={fault ?? description} />
        </span>
      </span>
    </button>
  )
}

function Mark({ icon, tone, words }: { icon: typeof TriangleAlert; tone: string; words: string }) {
  return (
    <span title={words} className={tone}>
      <Icon node={icon} size={14} />
      <span className="sr-only">{words}</span>
    </span>
  )
}

function keyOf(source: string, name: string): string {
  return `${source} ${name}`
}

function itemOf(box: HTMLElement | null, key: string | undefined): HTMLElement | undefined {
  const all = box?.querySelectorAll<HTMLElement>('[data-tool-key]') ?? []
  return [...all].find((item) => item.dataset.toolKey === key)
}
