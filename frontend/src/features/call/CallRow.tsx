/*
 * Hooks for tests that drive the window (frontend/e2e):
 * - the thread is role="feed"; each row role="article" with data-key and data-row (earlier, speaker, message, text, call, group, turn,
 *   gap, wire-error, unknown, pending, fault, end); a message or part also has data-item, its id
 * - a call's row also has data-call-id, data-tool and data-state (as in protocol/events.ts); its line is data-line, the status
 *   word in it data-status
 * - a details block: section[data-block] with its kind or file as aria-label
 * - an approval: role="group" named "Approval: <label>" in its row, with Approve, Edit arguments, Deny…; while that row is out
 *   of sight the same card stands above the composer, named "Waiting: <label>"; in the deny form the field is "Reason", the
 *   button Deny; in the edit form the editor is "Arguments as JSON", the button Approve edited
 * - while the end of the arguments (region "Arguments" in the card) was not on the screen, Approve is disabled; tabs "JSON" and
 *   "Form" in the edit form; "Always allow…" opens the dialog of a rule, saved by "Save and approve"
 * - what waits in all threads: button "Waiting for you: N (Ctrl J)", dialog "Waiting for you", each call role="article" with
 *   data-inbox-id and the same card
 * - composer: textarea "Message", buttons Send, Stop, "Deny with this message", "After the decision"; selects "Agent", "Model"
 * - elsewhere: buttons New thread, Settings, "Open demo"; thread list: nav "Threads" with data-thread-id and data-status
 */
import clsx from 'clsx'
import Braces from 'lucide/dist/esm/icons/braces.mjs'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import CircleStop from 'lucide/dist/esm/icons/circle-stop.mjs'
import Copy from 'lucide/dist/esm/icons/copy.mjs'
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs'
import FileText from 'lucide/dist/esm/icons/file-text.mjs'
import PanelRight from 'lucide/dist/esm/icons/panel-right.mjs'
import RotateCcwClock from 'lucide/dist/esm/icons/rotate-ccw-clock.mjs'
import ShieldQuestionMark from 'lucide/dist/esm/icons/shield-question-mark.mjs'
import { memo, type Ref, useSyncExternalStore } from 'react'
import { escapeInvisible } from '../../protocol/text'
import { pendingCalls, waitingInside } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { labelOf, type CallRow as Row } from '../../state/rows'
import { useCall, usePlayback, useThread, useThreadNow } from '../../state/useThread'
import { messageOf } from '../../transport/apiError'
import { IconButton } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { domId } from '../../ui/domId'
import { count, counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Keep } from '../../ui/kept'
import { Menu } from '../../ui/Menu'
import { Spinner } from '../../ui/Spinner'
import { ToolIcon } from '../../ui/ToolIcon'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import type { CardActions } from '../approvals/ApprovalCard'
import { useGoToMoment } from '../replay/useGoToMoment'
import { ByRule } from '../rules/ByRule'
import { CallBody } from './CallBody'
import { callAsJson, callAsText } from './copies'
import { metaOf, ticks } from './meta'
import { lastProgressLine } from './progress'
import { statusOf } from './status'

interface Props {
  row: Row
  actions: Ref<CardActions>
}

/** The row of a call: one line, and what is known of it when it is open. */
export const CallRow = memo(function CallRow({ row, actions }: Props) {
  const { key, run, call } = row
  const store = useThread()
  const open = useCall(store, row)
  const now = useThreadNow(ticks(call))
  const speaks = run.transcript.own.inside.has(call.id)
  const lastTurn = run.transcript.turns.at(-1)?.turn ?? 0
  return (
    <div
      className={clsx(
        'relative',
        call.state === 'waiting' && 'before:absolute before:inset-y-0 before:-left-4 before:w-0.5 before:bg-wait',
      )}
      style={{ paddingLeft: row.depth * 24 }}
    >
      {row.depth > 0 && <span aria-hidden="true" className="call-guides" style={{ width: row.depth * 24 }} />}
      <Line row={row} open={open} now={now} />
      {open && (
        <div className="flex min-w-0 flex-col gap-2 pb-3 pl-10">
          <Keep name={key} flags={store.flags}>
            <CallBody call={call} read={lastTurn > call.turn} speaks={speaks} actions={actions} />
          </Keep>
        </div>
      )}
    </div>
  )
})

function Line({ row, open, now }: { row: Row; open: boolean; now: number }) {
  const { key, call } = row
  const store = useThread()
  const status = statusOf(call)
  const detail = call.presentation?.detail ?? ''
  const refused = call.state === 'denied' || call.state === 'expired'
  const word = escapeInvisible(status.word)
  const meta = metaOf(call, now || Date.now())
  return (
    <div data-line className="group/line flex h-8 items-center gap-2 rounded-control hover:bg-raised">
      <button
        type="button"
        tabIndex={-1}
        aria-expanded={open}
        onClick={() => store.folding.set(key, !open)}
        className="flex h-8 min-w-[min(10rem,30%)] flex-1 items-center gap-2 overflow-hidden text-left"
      >
        <Icon node={open ? ChevronDown : ChevronRight} className="text-faint" />
        <ToolIcon name={call.presentation?.icon} className="text-muted" />
        <span
          id={`${domId(key)}-label`}
          className={clsx(
            'max-w-[calc(100%-3rem)] shrink-0 truncate font-semibold',
            !call.presentation?.label && 'font-mono text-code',
            refused && 'line-through decoration-deny',
          )}
        >
          <Verbatim text={labelOf(call)} />
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-code text-muted" title={escapeInvisible(detail)}>
          <Verbatim text={detail} />
          <LastLine call={call} open={open} />
        </span>
        <Aside row={row} open={open} />
      </button>
      <DecisionsLeft row={row} />
      <ByRule call={call} />
      <RowActions row={row} />
      <span
        title={meta}
        className={clsx(
          'tnum max-w-[35%] truncate font-mono text-code text-faint',
          call.state === 'approved' ? 'min-w-0' : 'shrink-0', // who approved gives way to what is left
        )}
      >
        {meta}
      </span>
      <span
        id={`${domId(key)}-status`}
        data-status={word}
        className={clsx('flex w-32 shrink-0 items-center gap-1.5 text-small', status.tone)}
        title={word}
      >
        {status.icon ? <Icon node={status.icon} /> : <Spinner />}
        <span className="truncate">{word}</span>
      </span>
    </div>
  )
}

/** The last line of a closed row's progress. */
function LastLine({ call, open }: { call: Row['call']; open: boolean }) {
  const line = call.state === 'running' && !open && call.children.length === 0 ? lastProgressLine(call) : undefined
  return line ? (
    <span className="pl-3 text-faint">
      <Verbatim text={line} />
    </span>
  ) : null
}

/** Whether a person changed the arguments before the call ran. */
function isEdited({ approval, argumentsText }: Row['call']): boolean {
  return approval?.kind === 'approval' && approval.argumentsText !== '' && approval.argumentsText !== argumentsText
}

/** What the line says whatever its width: the calls a closed row holds, how many of them wait, or that it was edited. */
function Aside({ row, open }: { row: Row; open: boolean }) {
  const { call, run } = row
  const store = useThread()
  const waiting = useSyncExternalStore(store.subscribe, () => waitingInside(run.transcript, call))
  if (call.children.length > 0) {
    const failed = call.children.filter((id) => run.transcript.calls.get(id)?.state === 'failed').length
    return (
      <span className="flex min-w-0 items-center gap-2 text-small">
        {!open && (
          <span className="truncate font-mono text-code text-faint">
            {counted(call.children.length, 'call')}
            {failed > 0 && <span className="text-err">, {count(failed)} failed</span>}
          </span>
        )}
        {waiting > 0 && (
          <span className="flex min-w-0 items-center gap-1 text-wait">
            <Icon node={ShieldQuestionMark} size={14} />
            <span className="truncate">
              {count(waiting)} {waiting === 1 ? 'needs' : 'need'} approval
            </span>
          </span>
        )}
      </span>
    )
  }
  return isEdited(call) ? <span className="shrink-0 text-small text-faint">edited</span> : null
}

/** How many decisions an approved call waits for. */
function DecisionsLeft({ row: { call, run } }: { row: Row }) {
  const left = call.state === 'approved' ? pendingCalls(run.transcript).length : 0
  if (left === 0) return null
  return (
    <span className="shrink-0 text-small whitespace-nowrap text-wait">
      {left === 1 ? '1 decision left' : `${left} decisions left`}
    </span>
  )
}

function RowActions({ row }: { row: Row }) {
  const { call, run } = row
  const app = useApp()
  const playback = usePlayback()
  const goToMoment = useGoToMoment(row)
  const whole = () => app.bodies.whole(call)
  const cancel = () => {
    app.api
      .cancelCall(run.id, call.id)
      .catch((cause: unknown) => toast(`${labelOf(call)} was not cancelled: ${messageOf(cause)}`, 'err'))
  }
  return (
    <span className="fade flex shrink-0 opacity-0 group-focus-within/line:opacity-100 group-hover/line:opacity-100">
      {call.state === 'running' && !playback && (
        <IconButton icon={CircleStop} label="Cancel this call" tabIndex={-1} onClick={cancel} />
      )}
      <Menu
        label="Call actions"
        icon={Ellipsis}
        tabIndex={-1}
        items={[
          {
            label: 'Inspect',
            icon: PanelRight,
            onSelect: () => app.inspector.show('call', { runId: run.id, turn: call.turn, callId: call.id }),
          },
          { label: 'Copy as JSON', icon: Braces, onSelect: () => void copy(whole().then(callAsJson), 'The call') },
          { label: 'Copy as text', icon: FileText, onSelect: () => void copy(whole().then(callAsText), 'The call') },
          { label: 'Copy arguments', icon: Copy, onSelect: () => void copy(call.argumentsText, 'The arguments') },
          { label: 'Go to this moment', icon: RotateCcwClock, onSelect: goToMoment },
        ]}
      />
    </span>
  )
}
