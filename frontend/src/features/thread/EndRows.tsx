import CircleStop from 'lucide/dist/esm/icons/circle-stop.mjs'
import OctagonX from 'lucide/dist/esm/icons/octagon-x.mjs'
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import { useState, useSyncExternalStore } from 'react'
import type { Gap } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { useNow } from '../../state/clock'
import { modelSettings } from '../../state/models'
import { endIsOdd } from '../../state/rows'
import type { RunView } from '../../state/threadStore'
import { usePlayback, useThread } from '../../state/useThread'
import { ApiError, messageOf } from '../../transport/apiError'
import { isByHand, serverOf } from '../../transport/attached'
import { Button } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { count, elapsed, exactTime } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Keep } from '../../ui/kept'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'
import { ResultBlock } from '../details/Blocks'

/** Events that never came. */
export function GapRow({ run, gap }: { run: RunView; gap: Gap }) {
  const store = useThread()
  const playback = usePlayback()
  const [busy, setBusy] = useState(false)
  const load = () => {
    setBusy(true)
    void store.reload(run.id).finally(() => setBusy(false))
  }
  const which =
    gap.from === gap.to
      ? `Event ${count(gap.from)} is missing.`
      : `Events ${count(gap.from)} to ${count(gap.to)} are missing.`
  return (
    <Notice
      tone="wait"
      className="my-1"
      actions={
        playback ? undefined : (
          <Button small busy={busy} onClick={load}>
            Load {gap.from === gap.to ? 'it' : 'them'}
          </Button>
        )
      }
    >
      {which}
    </Notice>
  )
}

/** Stands in place of what was not read yet, at the beginning of the thread. */
export function EarlierRow({ failed }: { failed: boolean }) {
  return (
    <p className="flex h-8 items-center justify-center gap-2 text-small text-muted">
      {failed ? (
        'What stands above could not be read.'
      ) : (
        <>
          <Spinner size={14} /> Reading what stands above…
        </>
      )}
    </p>
  )
}

/** A run of which nothing came yet. */
export function PendingRow({ run }: { run: RunView }) {
  const now = useNow(true)
  return (
    <p className="flex items-center gap-2 py-2 text-muted">
      <Spinner className="text-run" />
      Waiting for the first event.
      <span className="tnum text-faint">{elapsed(Math.max(0, now - run.createdAt))}</span>
    </p>
  )
}

/** A run whose events could not be read. */
export function FaultRow({ fault }: { fault: string }) {
  const store = useThread()
  const [busy, setBusy] = useState(false)
  const again = () => {
    setBusy(true)
    void store.refresh().finally(() => setBusy(false))
  }
  return (
    <Notice
      tone="err"
      className="my-1"
      actions={
        <Button small busy={busy} onClick={again}>
          Try again
        </Button>
      }
    >
      The events of this run could not be read: {fault}
    </Notice>
  )
}

/** How a run ended, where that is not as it should, and what it gave as JSON. */
export function EndRow({ run, id }: { run: RunView; id: string }) {
  const { flags } = useThread()
  const { status, finish } = run.transcript
  return (
    <>
      {finish?.structuredText !== undefined && (
        <div className="pt-1 pb-2">
          <Keep name={id} flags={flags}>
            <ResultBlock json={finish.structuredText} title="Structured output" />
          </Keep>
        </div>
      )}
      {(status !== 'completed' || (finish && endIsOdd(finish))) && <Ending run={run} />}
    </>
  )
}

function Ending({ run }: { run: RunView }) {
  const { transcript: t } = run
  if (t.status === 'failed') return <FailedRow run={run} />
  if (t.status === 'cancelled') {
    return (
      <p className="flex items-center gap-2 py-2 text-muted">
        <Icon node={CircleStop} /> Stopped
        {t.endedAt !== undefined && <span className="text-faint">{exactTime(t.endedAt)}</span>}
      </p>
    )
  }
  return (
    <p className="flex items-center gap-2 py-2 text-wait">
      <Icon node={TriangleAlert} /> {limitWords(run)}
    </p>
  )
}

function limitWords({ transcript: { finish } }: RunView): string {
  if (finish?.blocked) return 'The answer was blocked.'
  if (finish?.limit === 'repeated-calls')
    return 'Stopped: the agent made the same calls with the same results again and again.'
  if (finish?.limit === 'requests') return 'Stopped at the limit of model requests of one run.'
  if (finish?.iterationLimitReached || finish?.limit) return 'Stopped at the limit of turns.'
  if (finish?.structuredError && !finish.truncated) return finish.structuredError
  return 'The answer was cut at the token limit.'
}

/** Of a run, or of a message to a thread, that its server does not know any more. */
const codeForgotten = 'RUN_FORGOTTEN'

function FailedRow({ run }: { run: RunView }) {
  const app = useApp()
  const store = useThread()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string>()
  // That a server forgot the thread may be known only once it is asked to go on.
  const [gone, setGone] = useState(false)
  const { error, items } = run.transcript
  const first = items.find((item) => item.kind === 'message')
  const message = first?.kind === 'message' ? first.text : ''
  const byHand = isByHand(run.agentName)
  const forgotten = error?.code === codeForgotten || gone
  const interrupted = error?.code === 'RUN_INTERRUPTED' || forgotten
  // Who forgot the thread is asked in a new one; who remembers nothing is asked again as before.
  const anew = forgotten && !byHand
  const goesOn = interrupted && !anew && !byHand
  const input = goesOn ? 'Continue where you were interrupted.' : message
  const newest = useSyncExternalStore(store.subscribe, () => store.runs.at(-1)?.id === run.id)
  const playback = usePlayback()
  const again = () => {
    setBusy(true)
    setRefused(undefined)
    const sent = anew ? app.begin({ agentName: run.agentName }, input) : app.send(store.threadId, run.agentName, input)
    sent
      .catch((cause: unknown) => {
        setRefused(messageOf(cause))
        if (cause instanceof ApiError && cause.code === codeForgotten) setGone(true)
      })
      .finally(() => setBusy(false))
  }
  const ofKey = error?.message.includes('API key') ?? false
  const openModel = async () => {
    const choice = await app.api.thread(store.threadId).catch(() => undefined)
    const { state } = app.studio.cell.get()
    app.setUp.set(
      state && choice
        ? modelSettings(state, { ...choice, agentName: run.agentName }, ofKey)
        : { kind: 'settings', section: 'Models' },
    )
  }
  const details = JSON.stringify({ runId: run.id, threadId: store.threadId, ...error }, null, 2)
  return (
    <div role="alert" className="my-2 flex gap-3 rounded-block border border-err/60 bg-surface px-3 py-3">
      <Icon node={OctagonX} className="mt-0.5 text-err" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="text-err break-spaces">
          <span className="font-semibold">{interrupted ? 'Interrupted' : 'The run failed'}</span>
          {error?.code && <code className="ml-2 text-code">{error.code}</code>}
        </p>
        <p className="text-small break-spaces">
          <Verbatim text={error?.message ?? ''} />
        </p>
        {refused && <p className="text-small text-err">{refused}</p>}
        <div className="flex flex-wrap gap-2">
          {newest && input && !playback && (
            <Button small busy={busy} onClick={again}>
              {anew ? 'Send in a new thread' : goesOn ? 'Continue' : 'Retry'}
            </Button>
          )}
          {newest && error?.code?.startsWith('LLM_') && !serverOf(run.agentName) && (
            <Button small onClick={() => void openModel()}>
              {ofKey ? 'Fix key' : 'Model settings'}
            </Button>
          )}
          <Button small tone="ghost" onClick={() => void copy(details, 'The details')}>
            Copy details
          </Button>
        </div>
      </div>
    </div>
  )
}
