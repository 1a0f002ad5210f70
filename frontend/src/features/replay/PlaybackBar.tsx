import ChevronsRight from 'lucide/dist/esm/icons/chevrons-right.mjs'
import Pause from 'lucide/dist/esm/icons/pause.mjs'
import Play from 'lucide/dist/esm/icons/play.mjs'
import StepBack from 'lucide/dist/esm/icons/step-back.mjs'
import StepForward from 'lucide/dist/esm/icons/step-forward.mjs'
import { useCell, useCellPart } from '../../state/cell'
import { longestWait, type Playback, speeds } from '../../state/playback'
import type { ThreadStore } from '../../state/threadStore'
import { Button, IconButton } from '../../ui/Button'
import { duration, exactTime, timeOfDay } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { Spinner } from '../../ui/Spinner'
import { Legend } from './Legend'
import { Scrubber } from './Scrubber'
import { useLeave } from './useLeave'
import { usePlaybackKeys } from './usePlaybackKeys'
import { eventWords, placeWords, speedLabel } from './words'

/** Under a thread while one of its runs is played back: where the view stands in the run, and what moves it. */
export function PlaybackBar({ store }: { store: ThreadStore }) {
  const playback = useCell(store.playback)
  if (!playback) return null
  return <Bar key={playback.run.id} store={store} playback={playback} />
}

function Bar({ store, playback }: Props) {
  const playing = useCellPart(playback.state, (state) => state.playing)
  return (
    <section
      aria-label="Playback"
      data-playback={playing ? 'playing' : 'paused'}
      className="shrink-0 border-t border-border bg-surface px-3 pt-2 pb-1.5"
    >
      <Content store={store} playback={playback} />
    </section>
  )
}

interface Props {
  store: ThreadStore
  playback: Playback
}

function Content({ store, playback }: Props) {
  const { phase, fault, read } = useCell(playback.state)
  const leave = useLeave(store)
  switch (phase) {
    case 'reading':
      return (
        <p className="flex h-7 items-center gap-2 text-small text-muted">
          <Spinner size={14} /> Reading the run…
          {read > 0 && <span className="tnum">{Math.floor(read * 100)} %</span>}
          <span className="flex-1" />
          <LiveButton onPress={leave} />
        </p>
      )
    case 'failed':
      return (
        <Notice
          tone="err"
          actions={
            <>
              <Button small onClick={() => void playback.open('end')}>
                Try again
              </Button>
              <LiveButton onPress={leave} />
            </>
          }
        >
          The run could not be read: {fault}
        </Notice>
      )
    case 'ready':
      return <Controls store={store} playback={playback} onLeave={leave} />
    default:
      phase satisfies never
      return null
  }
}

function Controls({ store, playback, onLeave }: Props & { onLeave: () => void }) {
  const state = useCell(playback.state)
  const { at, length, playing, speed, wait } = state
  usePlaybackKeys(playback)
  return (
    <>
      <div className="flex items-center gap-1">
        <IconButton
          icon={StepBack}
          label="One event back (Left)"
          disabled={at <= 1}
          onClick={() => playback.step(-1)}
        />
        <IconButton
          icon={playing ? Pause : Play}
          label={playing ? 'Pause (Space)' : 'Play (Space)'}
          onClick={() => playback.toggle()}
        />
        <IconButton
          icon={StepForward}
          label="One event on (Right)"
          disabled={at >= length}
          onClick={() => playback.step(1)}
        />
        <Scrubber playback={playback} />
        <LiveButton onPress={onLeave} />
      </div>
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        <span className="tnum text-small font-medium">{placeWords(state)}</span>
        <span className="min-w-24 flex-1 truncate text-small text-muted">
          {eventWords(playback)}
          <span className="tnum pl-2 text-faint">{exactTime(playback.now)}</span>
          {wait !== undefined && (
            <span className="tnum pl-2 text-wait">
              a wait of {duration(wait)}, shortened to {duration(longestWait)}
            </span>
          )}
        </span>
        <Legend playback={playback} />
        <RunChoice store={store} playback={playback} />
        <Select
          quiet
          label="Speed"
          value={String(speed)}
          options={speeds.map((each) => ({ value: String(each), label: speedLabel(each), note: note(each) }))}
          onChange={(value) => {
            const next = speeds.find((each) => String(each) === value)
            if (next) playback.setSpeed(next)
          }}
        />
      </div>
    </>
  )
}

function note(speed: (typeof speeds)[number]): string | undefined {
  if (speed === 1) return `Its own pace; a wait over ${duration(longestWait)} is shortened to that`
  return speed === 'fast' ? 'A whole run in 10 s at most' : undefined
}

/** Which of the thread's runs is played. */
function RunChoice({ store, playback }: Props) {
  const runs = store.liveRuns
  if (runs.length < 2) return null
  return (
    <Select
      quiet
      label="Run"
      value={playback.run.id}
      options={runs.map(({ id, createdAt }, i) => ({
        value: id,
        label: `Run ${i + 1} of ${runs.length}`,
        note: timeOfDay(createdAt),
      }))}
      onChange={(runId) => store.play(runId, 'end')}
    />
  )
}

function LiveButton({ onPress }: { onPress: () => void }) {
  return (
    <Button small tone="ghost" icon={ChevronsRight} title="Back to the thread as it is now" onClick={onPress}>
      Live
    </Button>
  )
}
