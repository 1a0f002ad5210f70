import ArrowRightLeft from 'lucide/dist/esm/icons/arrow-right-left.mjs'
import CalendarClock from 'lucide/dist/esm/icons/calendar-clock.mjs'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import ListPlus from 'lucide/dist/esm/icons/list-plus.mjs'
import ListX from 'lucide/dist/esm/icons/list-x.mjs'
import { memo, type ReactNode, type Ref } from 'react'
import { Markdown } from '../../markdown/Markdown'
import { escapeInvisible } from '../../protocol/text'
import type { Part, Turn } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { useCellPart } from '../../state/cell'
import type { CutPlace } from '../../state/cutPlace'
import type { Row, SpeakerRow } from '../../state/rows'
import { usePart, useThread } from '../../state/useThread'
import { count, counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Keep, useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import type { CardActions } from '../approvals/ApprovalCard'
import { CallRow } from '../call/CallRow'
import { GroupRow } from '../call/GroupRow'
import { BlockFrame } from '../details/BlockFrame'
import { JsonTree } from '../details/JsonTree'
import { PlainLines } from '../details/Lines'
import { useSought } from '../find/sought'
import { EarlierRow, EndRow, FaultRow, GapRow, PendingRow } from './EndRows'
import { MessageRow, TextRow } from './MessageRow'

interface Props {
  row: Row
  actions: Ref<CardActions>
}

/** A row of the thread by its kind. */
export const RowView = memo(function RowView({ row, actions }: Props): ReactNode {
  switch (row.kind) {
    case 'earlier':
      return <EarlierRow failed={row.failed} />
    case 'speaker':
      return <Speaker row={row} />
    case 'message':
      return <MessageRow item={row.item} />
    case 'text':
      return <TextRow item={row.item} />
    case 'reasoning':
      return <ReasoningRow item={row.item} id={row.key} />
    case 'call':
      return <CallRow row={row} actions={actions} />
    case 'group':
      return <GroupRow row={row} />
    case 'turn':
      return <TurnRow row={row} />
    case 'gap':
      return <GapRow run={row.run} gap={row.gap} />
    case 'wire-error':
      return <Odd name={`Something that is no event: ${row.error.message}`} raw={row.error.raw} id={row.key} />
    case 'unknown': {
      const { event } = row.frame
      return (
        <Odd
          name={`An event of a kind not known here: ${event.type === 'unknown' ? event.kind : event.type}`}
          raw={row.frame.raw}
          id={row.key}
        />
      )
    }
    case 'pending':
      return <PendingRow run={row.run} />
    case 'fault':
      return <FaultRow fault={row.fault} />
    case 'end':
      return <EndRow run={row.run} id={row.key} />
    default:
      row satisfies never
      return null
  }
})

const speakerIcons = { handoff: ArrowRightLeft, schedule: CalendarClock, added: ListPlus }

/** Who says what follows; where it is not who was spoken with, how that came. */
function Speaker({ row: { name, by } }: { row: SpeakerRow }) {
  return (
    <h2 className="flex items-center gap-2 pt-4 pb-1 text-small font-semibold text-muted">
      {by && <Icon node={speakerIcons[by]} size={14} />}
      <span className="min-w-0 truncate">
        {by === 'handoff' && <span className="font-normal">Handed over to </span>}
        {by === 'added' && <span className="font-normal">Put in by a program, as the </span>}
        {name}
      </span>
    </h2>
  )
}

/** The model's reasoning: its last line, all of it when opened. */
function ReasoningRow({ item, id }: { item: Part; id: string }) {
  const store = useThread()
  return (
    <Keep name={id} flags={store.flags}>
      <Reasoning item={item} />
    </Keep>
  )
}

function Reasoning({ item }: { item: Part }) {
  usePart(useThread(), item)
  const [open, setOpen] = useKept('open', false)
  useSought(() => {
    setOpen(true)
    return true
  })
  const text = item.text.trim()
  const line = text.slice(text.lastIndexOf('\n') + 1)
  return (
    <div>
      <button
        type="button"
        tabIndex={-1}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-8 w-full items-center gap-2 rounded-control text-left text-muted hover:bg-raised"
      >
        <Icon node={open ? ChevronDown : ChevronRight} className="text-faint" />
        <span className="shrink-0 font-medium">{item.open ? 'Reasoning' : 'Reasoned'}</span>
        {!open && (
          <span className="min-w-0 flex-1 truncate text-faint">
            <Verbatim text={line} />
          </span>
        )}
      </button>
      {open && (
        <div className="ml-2 border-l border-border pb-2 pl-6 text-muted">
          <Markdown text={item.text} open={item.open} />
        </div>
      )}
    </div>
  )
}

/** What was taken back in a turn, its dropped calls and its failed tries, what its model could not read, and the way to them. */
function TurnRow({ row }: { row: Extract<Row, { kind: 'turn' }> }) {
  const { inspector, jump } = useApp()
  const store = useThread()
  const place = useCellPart(store.cut, (it) =>
    it?.run.id === row.run.id && it.turn === row.turn.turn ? it : undefined,
  )
  const words = escapeInvisible(turnWords(row.turn))
  const show = ({ key, callId }: CutPlace) =>
    jump.set({ threadId: store.threadId, runId: row.run.id, ...(callId === undefined ? { key } : { callId }) })
  return (
    <div className="flex min-w-0 items-center">
      <button
        type="button"
        tabIndex={-1}
        title={`${words}\n\nOpen in the run inspector`}
        onClick={() => inspector.showTurn(row)}
        className="flex h-7 min-w-0 items-center gap-2 rounded-control pr-2 text-small text-faint hover:bg-raised hover:text-text"
      >
        <Icon node={ListX} />
        <span className="truncate">{words}</span>
      </button>
      {place && (
        <button
          type="button"
          onClick={() => show(place)}
          className="h-7 shrink-0 rounded-control px-2 text-small text-faint hover:bg-raised hover:text-text"
        >
          Show where
        </button>
      )}
    </div>
  )
}

/** What a turn's footer says, in one line. */
function turnWords({ dropped, retries, cut, held, endedAt }: Turn): string {
  const again = retries.length === 1 ? 'tried again' : `tried again ${count(retries.length)} times`
  const why = retries.at(-1)?.reason?.trim().replace(/\s+/g, ' ')
  return [
    cut && `history cut: ${counted(cut.messages, 'earlier message')} not sent to the model`,
    dropped > 0 && `${count(dropped)} dropped`,
    held && endedAt !== undefined && 'held back until it was checked',
    retries.length > 0 && (why ? `${again}: ${why}` : again),
  ]
    .filter(Boolean)
    .join(', ')
}

function Odd({ name, raw, id }: { name: string; raw: string; id: string }) {
  const store = useThread()
  return (
    <div className="py-1">
      <Keep name={id} flags={store.flags}>
        <BlockFrame title={name} copyText={raw} file={{ name: 'event.json' }} raw={raw}>
          {(full) =>
            raw.startsWith('{') ? <JsonTree text={raw} full={full} /> : <PlainLines text={raw} full={full} />
          }
        </BlockFrame>
      </Keep>
    </div>
  )
}
