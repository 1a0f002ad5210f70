import { useEffect, useEffectEvent } from 'react'
import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { Led } from '../../state/leads'
import { type Row, runRows } from '../../state/rows'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { toast } from '../../ui/toasts'
import { pattern } from './texts'

/** What the search in the thread begins with: a text, and the row that was led to. */
export interface Begin {
  text: string
  key: string
}

/**
 * Takes the reader to what a search over all threads found, once all of the thread was read: the row opens and has the focus. A call
 * that was dropped is shown by the inspector. begins hears what to mark in the thread, if anything.
 */
export function useLed(store: ThreadStore, begins: (begin: Begin | undefined) => void): void {
  const app = useApp()
  const led = useCell(app.led)
  const { phase, partial } = useCell(store.state)
  const tell = useEffectEvent(begins)
  useEffect(() => {
    if (led?.threadId !== store.threadId || phase !== 'ready' || partial) return
    app.led.set(undefined)
    const place = placeOf(store.runs, led) ?? looseOf(store.rows.get(), led)
    if (!place) {
      toast('What was found is not in the thread any more.', 'err')
      return
    }
    const { row, dropped } = place
    if (row.kind === 'call') store.folding.set(row.key, true)
    app.found.set({ key: row.key, wanted: pattern(led.text) })
    app.jump.set({
      threadId: store.threadId,
      runId: led.runId,
      ...(row.kind === 'call' ? { callId: row.call.id } : { key: row.key }),
    })
    if (dropped) app.inspector.showDropped({ runId: led.runId, turn: dropped.turn, callId: dropped.id })
    tell(led.text ? { text: led.text, key: row.key } : undefined)
  }, [app, store, led, phase, partial])
}

interface Place {
  row: Row
  /** The call, where it has no row of its own. */
  dropped?: Call
}

/** The row in which a text stands that was found; of one that is drawn nowhere, the end of its run. */
export function placeOf(
  runs: readonly RunView[],
  { runId, callId, itemId }: Omit<Led, 'threadId' | 'text'>,
): Place | undefined {
  const run = runs.find((each) => (runId ? each.id === runId : holdsAdded(each, itemId)))
  if (!run) return undefined
  const rows = runRows(run, false, [])
  const own = rows.find((row) => {
    if (callId !== undefined) return row.kind === 'call' && row.call.id === callId
    return isOf(row, itemId)
  })
  if (own) return { row: own }
  const dropped = run.transcript.dropped.find(({ id }) => id === callId)
  const foot = dropped && rows.find((row) => row.kind === 'turn' && row.turn.turn === dropped.turn)
  const row = foot ?? rows.findLast((each) => each.kind === 'end') ?? rows.at(-1)
  return row && { row, dropped }
}

/** The row of a message that a program put in, in a thread without a run. */
function looseOf(rows: readonly Row[], { runId, itemId }: Led): Place | undefined {
  const row = runId ? undefined : rows.find((each) => isOf(each, itemId))
  return row && { row }
}

function holdsAdded({ added }: RunView, itemId: string | undefined): boolean {
  return added !== undefined && [...added.before, ...added.after].some((row) => isOf(row, itemId))
}

function isOf(row: Row, itemId: string | undefined): boolean {
  return 'item' in row && itemId !== undefined && row.item.id === itemId
}
