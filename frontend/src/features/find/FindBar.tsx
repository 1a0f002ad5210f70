import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronUp from 'lucide/dist/esm/icons/chevron-up.mjs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useCell } from '../../state/cell'
import type { ThreadStore } from '../../state/threadStore'
import { useCommand } from '../../state/useCommand'
import { IconButton } from '../../ui/Button'
import { TextInput } from '../../ui/Field'
import { count } from '../../ui/format'
import { useFind } from './useFind'
import { useHighlights } from './useHighlights'
import { type Begin, useLed } from './useLed'

/**
 * Finds text in the thread, also where it is folded away or out of sight. Ctrl F opens it, Escape closes it; a search over all threads
 * opens it on what it found.
 */
export function FindBar({ store }: { store: ThreadStore }) {
  const [open, setOpen] = useState<{ begin?: Begin }>()
  useLed(store, (begin) => setOpen(begin && { begin }))
  const field = useRef<HTMLInputElement>(null)
  useCommand('find', () => {
    if (!open) setOpen({})
    field.current?.select()
    field.current?.focus()
  })
  if (!open) return null
  const { begin } = open
  return <Bar key={begin?.key} store={store} field={field} begin={begin} onClose={() => setOpen(undefined)} />
}

interface Props {
  store: ThreadStore
  field: React.RefObject<HTMLInputElement | null>
  /** What was led to stands in the bar, and keeps the focus. */
  begin: Begin | undefined
  onClose: () => void
}

function Bar({ store, field, begin, onClose }: Props) {
  const [query, setQuery] = useState(begin?.text ?? '')
  const { partial } = useCell(store.state)
  const { matches, at, busy, go } = useFind(store, query, partial, begin)
  useHighlights(query)
  useCommand('find-next', () => go(1))
  useCommand('find-previous', () => go(-1))
  const close = () => {
    const match = matches[at]
    // The reader goes on from what was found, else from the list's own place.
    const row =
      (match && document.querySelector<HTMLElement>(`[data-key="${CSS.escape(match.row.key)}"]`)) ??
      document.querySelector<HTMLElement>('[role="feed"] [role="article"][tabindex="0"]')
    row?.focus({ preventScroll: true })
    onClose()
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }
  return (
    <search
      aria-label="Find in thread"
      className="flex h-10 shrink-0 items-center gap-1 border-b border-border bg-surface px-8 max-sm:px-3"
    >
      <TextInput
        ref={field}
        type="text"
        aria-label="Find in thread"
        placeholder="Find in thread"
        autoFocus={!begin}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={press}
        className="max-w-80"
      />
      <span role="status" className="tnum min-w-20 px-2 text-small whitespace-nowrap text-muted">
        {query &&
          (partial
            ? 'Still reading…'
            : matches.length === 0
              ? busy
                ? 'Searching…'
                : 'Nothing found'
              : `${count(at + 1)} of ${count(matches.length)}`)}
      </span>
      <IconButton
        icon={ChevronUp}
        label="Match before (Shift F3)"
        disabled={matches.length === 0}
        onClick={() => go(-1)}
      />
      <IconButton icon={ChevronDown} label="Next match (F3)" disabled={matches.length === 0} onClick={() => go(1)} />
      <span className="flex-1" />
      <IconButton icon={X} label="Close find (Esc)" onClick={close} />
    </search>
  )
}
