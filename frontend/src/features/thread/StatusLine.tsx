import { useSyncExternalStore } from 'react'
import type { Transcript } from '../../protocol/transcript'
import { useCell } from '../../state/cell'
import { useNow } from '../../state/clock'
import type { ThreadStore } from '../../state/threadStore'
import { counted, elapsed } from '../../ui/format'
import { Spinner } from '../../ui/Spinner'

/** What the thread's live run does, in one line. A run that waits never reads "running". */
export function StatusLine({ store, arming }: { store: ThreadStore; arming: boolean }) {
  const { live, waiting, status, notice } = useCell(store.state)
  useSyncExternalStore(store.subscribe, () => (live ? counts(live.transcript) : ''))
  const playback = useCell(store.playback)
  const now = useNow(live !== undefined)
  if (!live || playback) return null
  const since =
    status === 'paused'
      ? Math.min(...waiting.map(({ call }) => call.waitingAt ?? now))
      : live.transcript.startedAt || live.createdAt
  const lasted = Number.isFinite(since) ? elapsed(Math.max(0, now - since)) : ''
  return (
    <div className="px-8" data-run-status={status}>
      <p className="mx-auto flex h-7 max-w-[72.5rem] items-center gap-2 text-small text-muted">
        {status === 'paused' ? (
          <span className="shrink-0 font-medium text-wait">Waiting for you</span>
        ) : (
          <span className="flex shrink-0 items-center gap-2 text-run">
            <Spinner size={14} /> Running
          </span>
        )}
        <span className="tnum min-w-12 truncate">{[lasted, counts(live.transcript)].filter(Boolean).join(' · ')}</span>
        <span className="flex-1" />
        {notice && (
          <span role="status" className="min-w-12 truncate text-wait" title={notice}>
            {notice}
          </span>
        )}
        {arming && <span className="shrink-0 text-wait">Press Esc again to stop</span>}
      </p>
    </div>
  )
}

function counts(t: Transcript): string {
  const turn = t.turns.at(-1)
  const held = turn?.held && turn.endedAt === undefined
  return [
    turn && `turn ${turn.turn}`,
    t.calls.size > 0 && counted(t.calls.size, 'call'),
    held && 'held back until it is checked',
  ]
    .filter(Boolean)
    .join(' · ')
}
