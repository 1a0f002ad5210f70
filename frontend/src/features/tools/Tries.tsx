import clsx from 'clsx'
import ArrowUpRight from 'lucide/dist/esm/icons/arrow-up-right.mjs'
import CircleStop from 'lucide/dist/esm/icons/circle-stop.mjs'
import RotateCcw from 'lucide/dist/esm/icons/rotate-ccw.mjs'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import { labelOf } from '../../state/rows'
import type { ThreadStore } from '../../state/threadStore'
import { Button, IconButton } from '../../ui/Button'
import { count, moment } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Keep } from '../../ui/kept'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'
import type { CardActions } from '../approvals/ApprovalCard'
import { metaOf, ticks } from '../call/meta'
import { statusOf } from '../call/status'
import { feedCommand } from '../thread/feedKeys'
import { TryResult } from './TryResult'
import { askedIn, type Try, useTryList } from './useTries'

/** So many tries are listed; the thread has them all. */
const most = 50

interface Props {
  store: ThreadStore
  /** Puts the arguments of a try into the form. */
  onAgain: (text: string) => void
  /** The next new try takes the focus. */
  awaited: RefObject<boolean>
}

/** What came of the tries of a tool: the one that is looked at in full, and the others in a line each. */
export function Tries({ store, onAgain, awaited }: Props) {
  const app = useApp()
  const tries = useTryList(store)
  const { phase, fault, live, notice } = useCell(store.state)
  const [chosen, setChosen] = useState<string>()
  const newest = tries[0]?.run.id
  const result = useRef<HTMLElement>(null)
  const card = useRef<CardActions>(null)
  // A new try is what is looked at next.
  useEffect(() => {
    if (newest === undefined) return
    setChosen(undefined)
    if (!awaited.current) return
    awaited.current = false
    result.current?.focus({ preventScroll: true })
    result.current?.scrollIntoView({ block: 'nearest' })
  }, [newest, awaited])
  const shown = tries.find(({ run }) => run.id === chosen) ?? tries[0]
  useSaid(shown)
  if (phase === 'loading') {
    return (
      <p className="flex items-center gap-2 text-small text-muted">
        <Spinner size={14} /> Reading the tries…
      </p>
    )
  }
  if (!shown) {
    if (!fault || fault.code === 'NOT_FOUND') return null
    return (
      <Notice
        tone="err"
        actions={
          <Button small onClick={() => void store.refresh()}>
            Try again
          </Button>
        }
      >
        The tries could not be read: {fault.message}
      </Notice>
    )
  }
  const press = (event: KeyboardEvent) => {
    const id = feedCommand(event, app.commands.singleKeys.get())
    const approval = askedIn(shown)[0]?.approvalId
    if (approval === undefined || (id !== 'approve' && id !== 'edit' && id !== 'deny')) return
    if (!app.guard.ready(shown.run.id, approval, Date.now())) return
    card.current?.[id]()
    event.preventDefault()
  }
  const open = () => app.router.go({ kind: 'thread', threadId: store.threadId })
  return (
    <>
      <section
        ref={result}
        aria-label="Result"
        tabIndex={-1}
        onKeyDown={press}
        className="flex min-w-0 flex-col gap-3 outline-none"
      >
        <Head tries={tries} shown={shown} onOpen={open} />
        {notice && live?.id === shown.run.id && (
          <p role="status" className="text-small text-wait [overflow-wrap:anywhere]">
            <Verbatim text={notice} />
          </p>
        )}
        <Keep name={`try/${shown.run.id}`} flags={store.flags}>
          <TryResult key={shown.run.id} store={store} shown={shown} actions={card} />
        </Keep>
      </section>
      {tries.length > 1 && (
        <section aria-label="Tries" className="flex min-w-0 flex-col gap-1">
          <h2 className="text-small font-semibold text-muted">
            {tries.length > most ? `The last ${most} of ${count(tries.length)} tries` : `${count(tries.length)} tries`}
          </h2>
          <History tries={tries.slice(0, most)} shown={shown} onChoose={setChosen} onAgain={onAgain} />
        </section>
      )}
      {tries.length === 1 && (
        <div>
          <Button small icon={RotateCcw} onClick={() => onAgain(shown.text)}>
            Use these arguments again
          </Button>
        </div>
      )}
    </>
  )
}

function Head({ tries, shown, onOpen }: { tries: Try[]; shown: Try; onOpen: () => void }) {
  const app = useApp()
  const { run, call } = shown
  const now = useNow(call !== undefined && ticks(call))
  const going = run.status === 'running' || run.status === 'paused'
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-border pt-4">
      <h2 className="font-semibold">Result</h2>
      <Status tried={shown} />
      <span className="tnum font-mono text-code text-faint">{call && metaOf(call, now || Date.now())}</span>
      {tries.length > 1 && (
        <span className="tnum text-small text-faint">
          try {count(tries.length - tries.indexOf(shown))} of {count(tries.length)}
        </span>
      )}
      <span className="flex-1" />
      {going && (
        <Button small tone="danger" icon={CircleStop} onClick={() => app.stop(run.id)}>
          Cancel
        </Button>
      )}
      <Button small tone="ghost" icon={ArrowUpRight} onClick={onOpen}>
        Open as a thread
      </Button>
    </header>
  )
}

/** How a try stands: by its call, or where there was none, by its run. */
function Status({ tried: { run, call } }: { tried: Try }) {
  const status = call && statusOf(call)
  const word = status?.word ?? run.status
  return (
    <span
      data-status={word}
      className={clsx('flex min-w-0 items-center gap-1.5 text-small', status?.tone ?? 'text-muted')}
    >
      {status?.icon ? <Icon node={status.icon} /> : run.status === 'running' && <Spinner />}
      <span className="truncate">
        <Verbatim text={word} />
      </span>
    </span>
  )
}

interface HistoryProps {
  tries: Try[]
  shown: Try
  onChoose: (runId: string) => void
  onAgain: (text: string) => void
}

/** The tries in a line each, the newest first. Up and Down go from line to line. */
function History({ tries, shown, onChoose, onAgain }: HistoryProps) {
  const [active, setActive] = useState<string>()
  const stop = tries.some(({ run }) => run.id === active) ? active : shown.run.id
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const at = tries.findIndex(({ run }) => run.id === stop)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: tries.length - 1 }[event.key]
    const next = to === undefined ? undefined : tries[to]
    if (!next) return
    event.preventDefault()
    setActive(next.run.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-try="${CSS.escape(next.run.id)}"]`)?.focus()
  }
  return (
    <ul onKeyDown={press}>
      {tries.map((each) => {
        const { run, text } = each
        const here = run.id === stop
        return (
          <li key={run.id} className="group/try flex items-center gap-1">
            <button
              type="button"
              data-try={run.id}
              tabIndex={here ? 0 : -1}
              aria-current={each === shown ? 'true' : undefined}
              onFocus={() => setActive(run.id)}
              onClick={() => onChoose(run.id)}
              className={clsx(
                'flex h-8 min-w-0 flex-1 items-center gap-3 rounded-control px-2 text-left',
                each === shown ? 'bg-raised' : 'hover:bg-raised',
              )}
            >
              <span className="tnum w-28 shrink-0 text-small text-faint">{moment(run.createdAt)}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-code text-muted">
                <Verbatim text={text.replaceAll(/\s+/g, ' ')} />
              </span>
              <span className="flex w-32 shrink-0">
                <Status tried={each} />
              </span>
            </button>
            <IconButton
              icon={RotateCcw}
              size={14}
              label="Use these arguments again"
              tabIndex={here ? 0 : -1}
              onClick={() => onAgain(text)}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** Tells a screen reader how the try that is looked at goes on. */
function useSaid(shown: Try | undefined): void {
  const { announcer } = useApp()
  const call = shown?.call
  const word = call && `${labelOf(call)}: ${statusOf(call).word}`
  const id = shown?.run.id
  const [said, setSaid] = useState<{ id?: string; word?: string }>()
  useEffect(() => {
    if (said?.id === id && said?.word !== word && word) announcer.say(word)
    if (said?.id !== id || said?.word !== word) setSaid({ id, word })
  }, [announcer, id, word, said])
}
