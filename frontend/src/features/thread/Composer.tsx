import CircleStop from 'lucide/dist/esm/icons/circle-stop.mjs'
import Pencil from 'lucide/dist/esm/icons/pencil.mjs'
import Send from 'lucide/dist/esm/icons/send.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Absence } from '../../state/absence'
import { type Cell, useCell } from '../../state/cell'
import type { RunView } from '../../state/threadStore'
import type { ThreadChoice } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button, IconButton } from '../../ui/Button'
import { Verbatim } from '../../ui/Verbatim'
import { Absent } from './Absent'
import { Choices } from './Choices'

interface Props {
  draft: Cell<string>
  /** The message to send when the live run has completed. */
  queued: Cell<string>
  choice?: ThreadChoice
  /** Nobody answers: nothing can be sent. */
  absent?: Absence
  live?: RunView
  onChoice: (choice: ThreadChoice) => void
  /** False when something else is to be done first; it rejects with the server's words. The message then stays. */
  onSend: (input: string, denyPending: boolean) => Promise<boolean>
  onStop: () => void
  /** For the first message of a thread that is not made yet. */
  autoFocus?: boolean
  /** Each change of it asks for the focus again. */
  asked?: unknown
  /** Why nothing can be written now. */
  inertBecause?: string
  /** What is to be written, where that is no message in words. */
  placeholder?: string
}

/** Where to write. What happens to the message depends on the live run, and the buttons say it. */
export function Composer({
  draft,
  queued,
  choice,
  absent,
  live,
  onChoice,
  onSend,
  onStop,
  autoFocus,
  asked,
  inertBecause,
  placeholder = 'Message',
}: Props) {
  const text = useCell(draft)
  const waitingMessage = useCell(queued)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const box = useRef<HTMLTextAreaElement>(null)
  const wasInert = useRef(false)
  const status = live && (live.transcript.last === 0 ? live.status : live.transcript.status)
  const paused = status === 'paused'
  const input = inertBecause ? '' : text.trim()
  const inert = inertBecause !== undefined
  useEffect(() => {
    if (wasInert.current && !inert) box.current?.focus()
    wasInert.current = inert
  }, [inert])

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked is no more than that
  useEffect(() => {
    if (autoFocus) box.current?.focus()
  }, [autoFocus, asked])

  useFittingHeight(box, text)

  const send = async (message: string, from: Cell<string>, deny = false) => {
    if (!message || busy || absent) return
    setBusy(true)
    setError(undefined)
    try {
      // What is asked for before a message can go has the focus.
      if (!(await onSend(message, deny))) return
      from.set('')
      box.current?.focus()
    } catch (cause) {
      setError(messageOf(cause))
      box.current?.focus()
    } finally {
      setBusy(false)
    }
  }
  const queue = () => {
    if (!input) return
    queued.set(waitingMessage ? `${waitingMessage}\n\n${input}` : input)
    draft.set('')
  }
  const submit = () => (live ? queue() : void send(input, draft))
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const edit = () => {
    draft.set(text ? `${waitingMessage}\n\n${text}` : waitingMessage)
    queued.set('')
    box.current?.focus()
  }

  return (
    <div className="px-8 pb-4">
      <div className="mx-auto flex max-w-[72.5rem] flex-col gap-2">
        {waitingMessage && !inert && (
          <div
            role="note"
            aria-label="Queued message"
            className="flex items-center gap-2 rounded-block border border-border bg-surface py-1 pr-1 pl-3 text-small"
          >
            <span className="shrink-0 text-muted">{live ? 'Queued, sent when the run completes:' : 'Not sent:'}</span>
            <span className="min-w-0 flex-1 truncate">
              <Verbatim text={waitingMessage} />
            </span>
            {!live && (
              <Button
                small
                busy={busy}
                disabled={absent !== undefined}
                onClick={() => void send(waitingMessage, queued)}
              >
                Send now
              </Button>
            )}
            <IconButton icon={Pencil} label="Edit queued message" size={14} onClick={edit} />
            <IconButton icon={X} label="Remove queued message" size={14} onClick={() => queued.set('')} />
          </div>
        )}
        {absent && !live && !inert && <Absent absence={absent} />}
        <div className="@container rounded-block border border-faint bg-surface focus-within:border-accent">
          <textarea
            ref={box}
            aria-label="Message"
            rows={1}
            value={inertBecause ? '' : text}
            disabled={inert}
            autoFocus={autoFocus}
            placeholder={
              inertBecause ??
              (live
                ? paused
                  ? 'A message to go with your decision, or after it'
                  : 'What comes next? It is sent when the run completes'
                : placeholder)
            }
            onChange={(event) => draft.set(event.target.value)}
            onKeyDown={press}
            className="block max-h-60 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 text-prose outline-none placeholder:truncate placeholder:text-faint"
          />
          <div className="flex items-center gap-1 px-2 pb-2">
            <div className="flex min-w-0 flex-1 items-center gap-1">
              <Choices choice={choice} absent={absent} disabled={live !== undefined || inert} onChoice={onChoice} />
            </div>
            {live && !inert && (
              <Button small tone="danger" icon={CircleStop} onClick={onStop} title="Esc Esc" aria-label="Stop">
                <span className="hidden @lg:inline">Stop</span>
              </Button>
            )}
            {paused ? (
              <>
                <Button
                  small
                  tone="wait"
                  aria-label="Deny with this message"
                  busy={busy}
                  disabled={!input}
                  onClick={() => void send(input, draft, true)}
                >
                  <span>
                    Deny with this<span className="hidden @lg:inline"> message</span>
                  </span>
                </Button>
                <Button small tone="primary" aria-label="After the decision" disabled={!input} onClick={queue}>
                  <span>
                    After<span className="hidden @lg:inline"> the decision</span>
                  </span>
                </Button>
              </>
            ) : (
              <Button
                small
                tone="primary"
                icon={Send}
                busy={busy}
                disabled={!input || (absent !== undefined && !live)}
                onClick={submit}
              >
                {live ? 'Queue' : 'Send'}
              </Button>
            )}
          </div>
        </div>
        {error && (
          <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
            Not sent: {error}
          </p>
        )}
      </div>
    </div>
  )
}

/** Makes a field as high as its text in the width it has, up to a limit. */
function useFittingHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => fitHeight(field.current), [text])
  useEffect(() => {
    const area = field.current
    if (!area || typeof ResizeObserver === 'undefined') return
    let width = area.clientWidth
    const observer = new ResizeObserver(() => {
      if (area.clientWidth === width) return
      width = area.clientWidth
      fitHeight(area)
    })
    observer.observe(area)
    return () => observer.disconnect()
  }, [field])
}

function fitHeight(area: HTMLTextAreaElement | null): void {
  if (!area) return
  area.style.height = 'auto'
  area.style.height = `${Math.min(area.scrollHeight + 2, 240)}px`
}
