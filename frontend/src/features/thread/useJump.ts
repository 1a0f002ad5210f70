import { useEffect, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { Jump } from '../../state/leads'
import type { Row } from '../../state/rows'
import type { ThreadStore } from '../../state/threadStore'

/** Takes the reader to a call or a turn that something elsewhere asked for. What it stands in opens. */
export function useJump(
  store: ThreadStore,
  rows: readonly Row[],
  goTo: (index: number, quiet: boolean | undefined) => void,
): void {
  const app = useApp()
  const jump = useCell(app.jump)
  const looked = useRef<Jump>(undefined)
  useEffect(() => {
    if (jump?.threadId !== store.threadId) return
    const first = looked.current !== jump
    looked.current = jump
    // What it stands in opens; its row comes with the next rows.
    if (first && jump.callId !== undefined && store.reveal(jump.runId, jump.callId)) return
    const index = rowOf(rows, jump)
    const row = rows[index]
    if (!row) {
      // What has no row now is not gone to later, unless it may be in what is still read.
      if (jump.quiet && !store.state.get().partial) app.jump.set(undefined)
      return
    }
    if (row.kind === 'group') {
      store.folding.set(row.key, true) // the row comes with the next rows
      return
    }
    app.jump.set(undefined)
    goTo(index, jump.quiet)
  }, [app, jump, rows, goTo, store])
}

/** The index of the row a jump leads to, or of the closed group that holds it; -1 when there is none. A call that has no row is in its turn. */
export function rowOf(rows: readonly Row[], { runId, callId, turn, key }: Jump): number {
  if (key !== undefined) return rows.findIndex((row) => row.key === key)
  if (callId !== undefined) {
    const index = rows.findIndex((row) => {
      if (row.kind === 'call') return row.run.id === runId && row.call.id === callId
      return row.kind === 'group' && !row.open && row.run.id === runId && row.calls.some(({ id }) => id === callId)
    })
    if (index >= 0 || turn === undefined) return index
    const foot = rows.findIndex((row) => row.kind === 'turn' && row.run.id === runId && row.turn.turn === turn)
    if (foot >= 0) return foot
  }
  return rows.findIndex((row) => row.key.startsWith(`${runId}/`) && turnOf(row) === turn)
}

function turnOf(row: Row): number | undefined {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
      return row.item.turn
    case 'call':
      return row.call.turn
    case 'turn':
      return row.turn.turn
    default:
      return undefined
  }
}
