import Braces from 'lucide/dist/esm/icons/braces.mjs'
import Copy from 'lucide/dist/esm/icons/copy.mjs'
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs'
import Pencil from 'lucide/dist/esm/icons/pencil.mjs'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Markdown } from '../../markdown/Markdown'
import type { MessageItem, Part } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { usePart, useThread } from '../../state/useThread'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Menu, type MenuItem } from '../../ui/Menu'
import { Verbatim } from '../../ui/Verbatim'
import { messageAsJson, messageAsText } from './copies'

/** What somebody said. A user's own message can be sent again in other words. */
export function MessageRow({ item }: { item: MessageItem }) {
  const [editing, setEditing] = useState(false)
  if (editing) return <Resend item={item} onDone={() => setEditing(false)} />
  const edit: MenuItem = { label: 'Edit and resend', icon: Pencil, onSelect: () => setEditing(true) }
  return (
    <WithActions label="Message actions" item={item} more={item.role === 'user' ? [edit] : []}>
      <p className="max-w-[72ch] pb-2 text-prose break-spaces">
        <Verbatim text={item.text} />
      </p>
    </WithActions>
  )
}

/** A part of the answer. */
export function TextRow({ item }: { item: Part }) {
  usePart(useThread(), item)
  return (
    <WithActions label="Answer actions" item={item}>
      <div className="pt-1 pb-2">
        {item.text ? <Markdown text={item.text} open={item.open} /> : <NoText open={item.open} />}
      </div>
    </WithActions>
  )
}

/** A part that has begun and has no text yet, or never got one: its row is not left blank. */
function NoText({ open }: { open: boolean }) {
  return <p className="text-prose text-faint">{open ? '…' : 'No text'}</p>
}

interface ActionsProps {
  label: string
  item: MessageItem | Part
  more?: MenuItem[]
  children: ReactNode
}

function WithActions({ label, item, more = [], children }: ActionsProps) {
  return (
    <div className="group/message flex min-w-0 items-start gap-2">
      <div className="min-w-0 flex-1">{children}</div>
      <span className="fade opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100 has-data-popup-open:opacity-100">
        <Menu
          label={label}
          icon={Ellipsis}
          items={[
            ...more,
            { label: 'Copy as text', icon: Copy, onSelect: () => void copy(messageAsText(item), 'The message') },
            { label: 'Copy as JSON', icon: Braces, onSelect: () => void copy(messageAsJson(item), 'The message') },
          ]}
        />
      </span>
    </div>
  )
}

/** Where a message is written anew. It goes to a new thread: this one stays as it is. */
function Resend({ item, onDone }: { item: MessageItem; onDone: () => void }) {
  const app = useApp()
  const { threadId } = useThread()
  const [text, setText] = useState(item.text)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const input = text.trim()
  const send = async () => {
    if (!input || busy) return
    setBusy(true)
    setError(undefined)
    try {
      await app.resend(threadId, item.id, input)
      onDone()
    } catch (cause) {
      setError(messageOf(cause))
      setBusy(false)
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onDone()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="mb-2 flex max-w-[80ch] flex-col gap-2 rounded-block border border-faint bg-surface p-2 focus-within:border-accent">
      <textarea
        aria-label="Edited message"
        className="min-h-16 w-full resize-y bg-transparent px-1 text-prose outline-none [field-sizing:content]"
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      {error && (
        <p role="alert" className="px-1 text-small text-err [overflow-wrap:anywhere]">
          Not sent: {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 px-1 text-small text-muted">
          Goes to a new thread with all that stands before it. This one stays as it is.
        </span>
        <Button small tone="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button small tone="primary" busy={busy} disabled={!input} title="Ctrl Enter" onClick={() => void send()}>
          Send in a new thread
        </Button>
      </div>
    </div>
  )
}
