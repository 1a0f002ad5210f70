import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import Copy from 'lucide/dist/esm/icons/copy.mjs'
import RotateCcwClock from 'lucide/dist/esm/icons/rotate-ccw-clock.mjs'
import { useState } from 'react'
import { formatRoute } from '../../state/route'
import { IconButton } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { count, counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import type { Entry } from './eventLog'
import { exactMoment } from './words'

interface Props {
  entry: Entry
  threadId: string
  runId: string
  /** The numbers of the open events, kept while their rows are scrolled away. */
  open: Set<number>
  /** Playback stands at it. */
  current: boolean
}

/** So much of an event, in characters, is drawn before it is asked for the rest. */
const page = 20_000

/** An event: its number, its moment, its bytes. */
export function EventRow({ entry, threadId, runId, open, current }: Props) {
  const { seq, at, type, raw, missing } = entry
  const [shown, setShown] = useState(open.has(seq))
  const toggle = () => {
    if (shown) open.delete(seq)
    else open.add(seq)
    setShown(!shown)
  }
  return (
    <div
      data-seq={seq}
      aria-current={current || undefined}
      className="border-b border-border/60 aria-current:bg-raised aria-current:shadow-[inset_2px_0_var(--accent)]"
    >
      {missing > 0 && (
        <p className="px-4 py-1 text-small text-wait">{counted(missing, 'event')} before this one never came.</p>
      )}
      <div className="flex h-8 items-center gap-2 pr-2 pl-3 text-small">
        <button
          type="button"
          aria-expanded={shown}
          onClick={toggle}
          className="flex h-full min-w-0 flex-1 items-center gap-2 rounded-control text-left hover:bg-raised"
        >
          <Icon node={shown ? ChevronDown : ChevronRight} size={14} className="text-faint" />
          <span className="tnum shrink-0 text-faint">{seq === 0 ? '–' : count(seq)}</span>
          <span className="min-w-0 truncate font-mono text-code">
            <Verbatim text={type} />
          </span>
          <span className="flex-1" />
          <span className="tnum shrink-0 font-mono text-code text-faint">{exactMoment(at)}</span>
        </button>
        <IconButton icon={Copy} label={`Copy event ${seq}`} size={14} onClick={() => void copy(raw, `Event ${seq}`)} />
        <a
          href={formatRoute({ kind: 'thread', threadId, moment: { runId, seq } })}
          aria-label={`Go to this moment: event ${seq}`}
          title="Go to this moment"
          className="inline-flex h-6 w-6 shrink-0 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-text"
        >
          <Icon node={RotateCcwClock} size={14} />
        </a>
      </div>
      {shown ? (
        <Raw raw={raw} />
      ) : (
        <p className="truncate pb-1.5 pr-3 pl-9 font-mono text-code text-muted">{line(raw)}</p>
      )}
    </div>
  )
}

function Raw({ raw }: { raw: string }) {
  const [length, setLength] = useState(page)
  return (
    <div className="pb-2 pl-9 pr-3">
      <pre className="rounded-control bg-bg px-2 py-1 text-code break-spaces">
        <Verbatim text={raw.slice(0, length)} />
      </pre>
      {raw.length > length && (
        <button
          type="button"
          className="mt-1 text-small text-muted hover:text-text"
          onClick={() => setLength(length + page * 10)}
        >
          Show more ({count(raw.length - length)} characters left)
        </button>
      )}
    </div>
  )
}

/** What a line shows of an event: its members after the type and the time, which stand above. */
function line(raw: string) {
  return <Verbatim text={raw.replace(/^\{"type":"[^"]*",("at":\d+,)?/, '{').slice(0, 300)} />
}
