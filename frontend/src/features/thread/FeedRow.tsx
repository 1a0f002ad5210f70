import { memo, useEffect, useRef, useSyncExternalStore } from 'react'
import { escapeInvisible } from '../../protocol/text'
import { useApp } from '../../state/app'
import { useCellPart } from '../../state/cell'
import type { Selection } from '../../state/inspector'
import { isMoment } from '../../state/moments'
import { labelOf, type Row, speakerOf } from '../../state/rows'
import { useThread } from '../../state/useThread'
import { domId } from '../../ui/domId'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import type { CardActions } from '../approvals/ApprovalCard'
import { SoughtContext } from '../find/sought'
import { MomentButton } from '../replay/MomentButton'
import { CutLine } from './CutLine'
import { RowView } from './RowView'

/** The card actions of the rows that are drawn, by row key. */
export type Cards = Map<string, () => CardActions | null>

interface Props {
  row: Row
  index: number
  /** How many rows the thread has; absent while only its end is there. */
  total?: number
  /** The row takes the tab stop of the list. */
  active: boolean
  cards: Cards
}

/** A row of the feed with what a screen reader and the keyboard need of it. */
export const FeedRow = memo(function FeedRow({ row, index, total, active, cards }: Props) {
  const actions = useRef<CardActions>(null)
  useEffect(() => {
    cards.set(row.key, () => actions.current)
    return () => {
      cards.delete(row.key)
    }
  }, [cards, row.key])
  const store = useThread()
  const call = row.kind === 'call' ? row.call : undefined
  const state = useSyncExternalStore(store.subscribe, () => call?.state)
  const moment = useSyncExternalStore(store.subscribe, () => isMoment(store.playback.get(), row))
  const { inspector, found } = useApp()
  const selected = useCellPart(inspector.selected, (it) => isAbout(it, row))
  const isFound = useCellPart(found, (it) => it?.key === row.key)
  const sought = useCellPart(found, (it) => (it?.key === row.key ? it.wanted : undefined))
  const cut = useCellPart(store.cut, (it) => (it?.key === row.key ? it : undefined))
  return (
    // biome-ignore lint/a11y/useSemanticElements: an article element has no place in a virtual list's own items
    <div
      role="article"
      data-key={row.key}
      data-row={row.kind}
      data-item={'item' in row ? row.item.id : undefined}
      data-call-id={call?.id}
      data-tool={call?.toolName}
      data-state={state}
      data-selected={selected || undefined}
      data-moment={moment || undefined}
      data-found={isFound || undefined}
      tabIndex={active ? 0 : -1}
      aria-posinset={total && index + 1}
      aria-setsize={total ?? -1}
      {...naming(row)}
      className="feed-row group/row relative scroll-my-2 rounded-control data-moment:before:absolute data-moment:before:inset-y-0 data-moment:before:-left-5 data-moment:before:w-0.5 data-moment:before:bg-accent data-selected:bg-raised/60 data-found:before:absolute data-found:before:inset-y-0 data-found:before:-left-3 data-found:before:w-1 data-found:before:rounded-full data-found:before:bg-find"
    >
      <ErrorBoundary what="This row" resetKey={row.key}>
        {cut && <CutLine place={cut} />}
        <SoughtContext value={sought}>
          <RowView row={row} actions={actions} />
        </SoughtContext>
        {row.kind !== 'call' && <MomentButton row={row} />}
      </ErrorBoundary>
    </div>
  )
})

/** Whether the inspector shows what a row is about. */
function isAbout(selected: Selection | undefined, row: Row): boolean {
  if (!selected?.callId || row.kind !== 'call') return false
  return selected.callId === row.call.id && selected.runId === row.run.id
}

function naming(row: Row): { 'aria-label'?: string; 'aria-labelledby'?: string } {
  switch (row.kind) {
    case 'earlier':
      return { 'aria-label': 'What stands above' }
    case 'call':
      return {
        'aria-labelledby': `${domId(row.key)}-label ${domId(row.key)}-status`,
        'aria-label': escapeInvisible(labelOf(row.call)),
      }
    case 'group':
      return { 'aria-labelledby': `${domId(row.key)}-label ${domId(row.key)}-status` }
    case 'message':
      return { 'aria-label': `${speakerOf(row.item)}: ${row.item.text.slice(0, 120)}` }
    case 'text':
      return { 'aria-label': 'Answer' }
    case 'reasoning':
      return { 'aria-label': 'Reasoning' }
    case 'speaker':
      return { 'aria-label': row.by === 'handoff' ? `Handed over to ${row.name}` : row.name }
    case 'turn':
      return { 'aria-label': 'What was taken back' }
    case 'gap':
      return { 'aria-label': 'Missing events' }
    case 'wire-error':
    case 'unknown':
      return { 'aria-label': 'Not understood' }
    case 'pending':
      return { 'aria-label': 'Waiting for the first event' }
    case 'fault':
      return { 'aria-label': 'Not read' }
    case 'end':
      return { 'aria-label': 'How the run ended' }
    default:
      row satisfies never
      return {}
  }
}
