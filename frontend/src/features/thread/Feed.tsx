import clsx from 'clsx'
import ArrowDown from 'lucide/dist/esm/icons/arrow-down.mjs'
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { CommandId } from '../../state/keyTable'
import { momentOf } from '../../state/moments'
import type { Row } from '../../state/rows'
import type { RunCall, ThreadStore } from '../../state/threadStore'
import { useCommand } from '../../state/useCommand'
import { copy } from '../../ui/clipboard'
import { count } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Dock } from '../approvals/Dock'
import { MomentPill } from '../replay/MomentPill'
import { rowAsText } from './copies'
import { type Cards, FeedRow } from './FeedRow'
import { feedCommand } from './feedKeys'
import { useAbove } from './useAbove'
import { useAnchor } from './useAnchor'
import { useDocked } from './useDocked'
import { useFollow } from './useFollow'
import { useJump } from './useJump'

/** The rows of a thread, drawn only where they are looked at. */
export function Feed({ store }: { store: ThreadStore }) {
  const app = useApp()
  const rows = useCell(store.rows)
  const playback = useCell(store.playback)
  const { waiting: asked, live } = useCell(store.state)
  const waiting = playback ? none : asked // what waited then is not decided now
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [activeKey, setActiveKey] = useState<string>()
  const [wanted, setWanted] = useState<string>()
  const { guard } = app
  const cards = useMemo<Cards>(() => new Map(), [])
  const above = useAbove(rows)
  const { following, missed, follow, leave, onScroll, onHand, byHand, onOpen } = useFollow(
    scroller,
    content,
    store,
    rows.length,
    above,
    live === undefined,
  )
  const remember = useAnchor(scroller, list, rows, following)
  const earlier = rows[0]?.kind === 'earlier' ? rows[0] : undefined
  // The end of a long thread stands where it will once what is above it is there, also when it does not fill the view.
  const atEnd = earlier !== undefined && !earlier.cut
  const [docked, look] = useDocked(scroller, waiting)

  const found = activeKey === undefined ? -1 : rows.findIndex((row) => row.key === activeKey)
  const activeIndex =
    found >= 0 ? found : following ? rows.length - 1 : (list.current?.findItemIndex(list.current.scrollOffset) ?? 0)

  // At its end the list may have drawn nothing beyond the view; whoever turns back finds it there.
  const before = following && !earlier && !playback ? Math.min(rows.length, kept) : 0
  const mounted = Array.from({ length: before }, (_, i) => rows.length - before + i)
  if (activeIndex >= 0) mounted.push(activeIndex)

  const goTo = useCallback(
    (index: number, quiet?: boolean) => {
      const row = rows[index]
      if (!row) return
      list.current?.scrollToIndex(index, { align: 'nearest' })
      setActiveKey(row.key)
      if (!quiet) setWanted(row.key)
    },
    [rows],
  )

  const goToCall = useCallback(
    ({ run, call }: RunCall) => app.jump.set({ threadId: store.threadId, runId: run.id, callId: call.id }),
    [app, store],
  )

  // The list keeps the active row mounted, but hidden until it is measured: then it cannot take the focus yet.
  useEffect(() => {
    if (wanted === undefined) return
    let frame = 0
    let left = 60
    const focus = () => {
      const row = elementOf(scroller.current, wanted)
      row?.focus({ preventScroll: true })
      const there = row !== null && document.activeElement === row
      // What was drawn meanwhile may have moved it out of the view, and a thread that is followed goes back to its end.
      if (there && isOutside(row, scroller.current)) {
        leave()
        row.scrollIntoView({ block: 'nearest' })
      }
      if (there || --left === 0) setWanted(undefined)
      else frame = requestAnimationFrame(focus)
    }
    focus()
    return () => cancelAnimationFrame(frame)
  }, [wanted, leave])

  const jumpTo = useCallback(
    (index: number, quiet?: boolean) => {
      onHand()
      goTo(index, quiet)
    },
    [onHand, goTo],
  )
  useJump(store, rows, jumpTo)
  useEffect(() => {
    if (playback) follow()
  }, [playback, follow])

  const goOn = useCallback(
    (next: RunCall) => {
      goToCall(next)
      guard.moved(keyOf(next), Date.now())
    },
    [goToCall, guard],
  )
  useNextDecision(waiting, activeKey, scroller, goOn)

  /** Does to the active row, or to the list, what a command says; false when it is none of theirs. */
  const act = (id: CommandId): boolean => {
    const row = rows[activeIndex]
    if (!row) return false
    const screen = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / 64))
    switch (id) {
      case 'row-next':
        goTo(step(rows, activeIndex, 1))
        return true
      case 'row-previous':
        goTo(step(rows, activeIndex, -1))
        return true
      case 'screen-next':
        goTo(Math.min(rows.length - 1, activeIndex + screen))
        return true
      case 'screen-previous':
        goTo(Math.max(0, activeIndex - screen))
        return true
      case 'first':
        goTo(0)
        return true
      case 'last':
        goTo(rows.length - 1)
        follow()
        return true
      case 'open':
      case 'close':
        if (row.kind === 'turn' && id === 'open') app.inspector.showTurn(row)
        onOpen()
        if (row.kind === 'call' || row.kind === 'group') store.folding.set(row.key, id === 'open')
        return true
      case 'follow':
        follow()
        return true
      case 'copy-row': {
        const text = rowAsText(row, app.bodies)
        text.then(
          (said) => said && void copy(text, 'The row'),
          () => void copy(text, 'The row'), // says why not
        )
        return true
      }
      case 'moment': {
        const there = momentOf(row)
        if (there) store.play(there.runId, there.moment)
        return true
      }
      case 'next-approval': {
        const at = waiting.findIndex((each) => row.kind === 'call' && each.call === row.call)
        const next = waiting[at + 1] ?? waiting[0]
        if (next) goToCall(next)
        return true
      }
      case 'approve':
      case 'edit':
      case 'deny': {
        const approval = row.kind === 'call' ? row.call.approvalId : undefined
        if (approval === undefined || !guard.ready(row.key, approval, Date.now())) return false
        cards.get(row.key)?.()?.[id]()
        return true
      }
      default:
        return app.commands.run(id)
    }
  }
  const undecided = { off: !waiting.some((each) => keyOf(each) === activeKey) }
  useCommand('follow', () => act('follow'), { off: rows.length === 0 })
  useCommand('copy-row', () => act('copy-row'), { off: activeKey === undefined })
  useCommand('moment', () => act('moment'), { off: activeKey === undefined })
  useCommand('next-approval', () => act('next-approval'), { off: waiting.length === 0 })
  useCommand('approve', () => act('approve'), undecided)
  useCommand('edit', () => act('edit'), undecided)
  useCommand('deny', () => act('deny'), undecided)

  const onKeyDown = (event: KeyboardEvent) => {
    const id = feedCommand(event, app.commands.singleKeys.get())
    if (id && act(id)) event.preventDefault()
  }

  const onFocus = (event: FocusEvent) => {
    const key = event.target.closest('[role="article"]')?.getAttribute('data-key')
    if (!key) return
    setActiveKey(key)
    const row = rows.find((each) => each.key === key)
    if (row) app.inspector.follow(row)
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its role is in what is spread */}
      <div
        ref={scroller}
        {...(rows.length > 0 ? feed : emptyFeed)}
        aria-busy={live?.transcript.status === 'running'}
        className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
        onScroll={() => {
          onScroll()
          remember()
          look()
        }}
        onWheel={onHand}
        onTouchMove={onHand}
        onPointerDown={onHand}
        onClick={(event) => event.target instanceof Element && event.target.closest(openers) && onOpen()}
        onKeyDown={(event) => {
          onHand()
          onKeyDown(event)
        }}
        onFocus={onFocus}
      >
        <div
          ref={content}
          className={clsx(
            'mx-auto max-w-[72.5rem] px-8 pb-6',
            (atEnd || rows.length === 0) && 'flex min-h-full flex-col justify-end',
          )}
        >
          {rows.length === 0 && <p className="m-auto text-muted">Nothing was said here yet.</p>}
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            shift={above > 0}
            bufferSize={playback ? aheadInPlayback : ahead}
            keepMounted={mounted}
            onResize={look}
          >
            {(row, index) => (
              <FeedRow
                key={row.key}
                row={row}
                index={index}
                total={earlier ? undefined : rows.length}
                active={index === activeIndex}
                cards={cards}
              />
            )}
          </Virtualizer>
        </div>
      </div>
      {playback && <MomentPill playback={playback} rows={rows} scroller={scroller} list={list} byHand={byHand} />}
      {docked ? (
        <Dock
          waiting={waiting}
          docked={docked}
          onShow={goToCall}
          onWheel={(by) => {
            onHand()
            scroller.current?.scrollBy({ top: by })
          }}
        />
      ) : (
        !following &&
        !playback && (
          <button
            type="button"
            onClick={follow}
            className="absolute right-8 bottom-3 inline-flex h-8 items-center gap-2 rounded-full border border-faint bg-raised px-3 text-small text-text shadow-popover hover:border-accent"
          >
            <Icon node={ArrowDown} size={14} />
            {missed > 0 ? `${count(missed)} new` : 'To the end'}
          </button>
        )
      )}
    </div>
  )
}

const none: RunCall[] = []

/** So far, in px, rows are drawn beyond the view: a wheel turned fast goes several hundred from one frame to the next. */
const ahead = 1500
/** Playback draws the rows anew at every step, and goes where it is sent: what lies beyond the view is not drawn for it. */
const aheadInPlayback = 200
/** So many rows at the end of the thread are drawn while it is followed. */
const kept = 60

/** What opens or closes some of a row. */
const openers = '[aria-expanded]:not([aria-haspopup]), [data-block] button'

const feed = { role: 'feed', 'aria-label': 'Thread' }
/** A feed without an article is none. */
const emptyFeed = { role: 'group', 'aria-label': 'Thread' }

function keyOf({ run, call }: RunCall): string {
  return `${run.id}/call:${call.id}`
}

function elementOf(scroller: HTMLElement | null, key: string): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null
}

/** Whether some of a row is not in view though it could be. */
function isOutside(row: HTMLElement, scroller: HTMLElement | null): boolean {
  const view = scroller?.getBoundingClientRect()
  if (!view) return false
  const { top, bottom } = row.getBoundingClientRect()
  return (top < view.top - 1 && bottom < view.bottom) || (bottom > view.bottom + 1 && top > view.top)
}

/** The next row that can be acted on: names of speakers are passed over. */
function step(rows: readonly Row[], from: number, by: number): number {
  let at = from + by
  while (rows[at]?.kind === 'speaker') at += by
  return rows[at] ? at : from
}

/** After a decision the focus goes to the next call that waits; without one it stays at the row. */
function useNextDecision(
  waiting: RunCall[],
  activeKey: string | undefined,
  scroller: { current: HTMLElement | null },
  goOn: (next: RunCall) => void,
): void {
  const before = useRef(waiting)
  useEffect(() => {
    const was = before.current
    before.current = waiting
    if (activeKey === undefined || was.length <= waiting.length) return
    const decided = was.find((each) => activeKey === keyOf(each) && !waiting.some(({ call }) => call === each.call))
    const focused = document.activeElement
    // A button that was pressed is gone with its card, and its focus with it.
    if (!decided || (focused !== document.body && !scroller.current?.contains(focused))) return
    const next = waiting[0]
    if (next) goOn(next)
    else elementOf(scroller.current, activeKey)?.focus({ preventScroll: true })
  }, [waiting, activeKey, scroller, goOn])
}
