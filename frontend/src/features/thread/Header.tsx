import Braces from 'lucide/dist/esm/icons/braces.mjs'
import Cable from 'lucide/dist/esm/icons/cable.mjs'
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs'
import FileOutput from 'lucide/dist/esm/icons/file-output.mjs'
import FileText from 'lucide/dist/esm/icons/file-text.mjs'
import Folder from 'lucide/dist/esm/icons/folder.mjs'
import FolderX from 'lucide/dist/esm/icons/folder-x.mjs'
import Link from 'lucide/dist/esm/icons/link.mjs'
import Pencil from 'lucide/dist/esm/icons/pencil.mjs'
import RotateCcwClock from 'lucide/dist/esm/icons/rotate-ccw-clock.mjs'
import Trash2 from 'lucide/dist/esm/icons/trash.mjs'
import Wrench from 'lucide/dist/esm/icons/wrench.mjs'
import { type KeyboardEvent, useState } from 'react'
import { escapeInvisible } from '../../protocol/text'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { formatRoute } from '../../state/route'
import { useCommand } from '../../state/useCommand'
import { usePlayback, useThread } from '../../state/useThread'
import type { StudioThread, ThreadChoice } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { serverOf } from '../../transport/attached'
import type { Origin } from '../../transport/share'
import { Button, IconButton } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { moment, shortPath } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Menu } from '../../ui/Menu'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { useTogglePlayback } from '../replay/useTogglePlayback'
import { useFolderPicker } from '../setup/useFolderPicker'
import { threadAsJson, threadAsText } from './copies'

interface Props {
  threadId: string
  settings?: StudioThread
  live: boolean
  onChange: (choice: ThreadChoice) => Promise<void>
}

/** A thread's name, its folder, and what can be done with it. */
export function Header({ threadId, settings, live, onChange }: Props) {
  const app = useApp()
  const store = useThread()
  const { threads } = useCell(app.threads.state)
  const title = threads.find((thread) => thread.id === threadId)?.title || settings?.title || 'Untitled'
  const [renaming, setRenaming] = useState(false)
  const [picker, pick] = useFolderPicker()
  const rename = (next: string) => {
    setRenaming(false)
    if (!next || next === title) return
    app.api.renameThread(threadId, next).then(
      () => void app.threads.refresh(),
      (cause: unknown) => toast(`The thread was not renamed: ${messageOf(cause)}`, 'err'),
    )
  }
  const server = serverOf(settings?.agentName ?? '')
  const { partial } = useCell(store.state)
  const unread = partial ? 'Not all of the thread is read yet' : undefined
  const copyText = () => void copy(threadAsText(store.liveRuns, app.bodies), 'The thread')
  const copyJson = () => void copy(threadAsJson(threadId, title, store.liveRuns, app.bodies), 'The thread')
  const copyLink = () => {
    const link = app.transport.host.link?.(formatRoute(app.router.route.get()))
    if (link) void copy(link, 'The link')
  }
  const remove = () => app.deleteThread(threadId, title)
  useCommand('rename', () => setRenaming(true))
  useCommand('copy-text', copyText, { off: partial })
  useCommand('copy-json', copyJson, { off: partial })
  useCommand('copy-link', copyLink, { off: !app.transport.host.link })
  const share = () => app.share.set({ kind: 'export', threadId, title })
  useCommand('export', share)
  useCommand('delete', remove, { off: live })
  const locate = async () => {
    const folder = await pick(settings?.folder ?? '')
    if (folder) await onChange({ folder })
  }
  return (
    <header className="flex h-11 shrink-0 items-center gap-3 border-b border-border px-8">
      {renaming ? (
        <Rename title={title} onDone={rename} />
      ) : (
        <h1 className="min-w-0 truncate font-semibold" title={escapeInvisible(title)}>
          <Verbatim text={title} />
        </h1>
      )}
      <Menu
        label="Thread actions"
        icon={Ellipsis}
        items={[
          { label: 'Rename', icon: Pencil, shortcut: 'F2', onSelect: () => setRenaming(true) },
          { label: 'Copy as text', icon: FileText, disabledBecause: unread, onSelect: copyText },
          { label: 'Copy as JSON', icon: Braces, disabledBecause: unread, onSelect: copyJson },
          { label: 'Export…', icon: FileOutput, onSelect: share },
          ...(app.transport.host.link ? [{ label: 'Copy link', icon: Link, onSelect: copyLink }] : []),
          {
            label: 'Delete',
            icon: Trash2,
            danger: true,
            disabledBecause: live ? 'Stop its run first' : undefined,
            onSelect: remove,
          },
        ]}
      />
      <PlaybackButton />
      <span className="flex-1" />
      {settings?.imported && <ImportedChip origin={settings.imported} />}
      {settings?.tried && (
        <Button small icon={Wrench} onClick={() => app.router.go({ kind: 'tools', tool: settings.tried })}>
          Tried by hand
        </Button>
      )}
      {settings && server && <ServerChip name={server} />}
      {settings && !server && (settings.folder || !settings.tried) && (
        <FolderChip settings={settings} onLocate={() => void locate()} />
      )}
      {picker}
    </header>
  )
}

function PlaybackButton() {
  const toggle = useTogglePlayback(useThread())
  const playback = usePlayback()
  useCommand('playback', toggle)
  return (
    <IconButton
      icon={RotateCcwClock}
      label={playback ? 'Back to live (P)' : 'Play back (P)'}
      aria-pressed={playback !== undefined}
      className="aria-pressed:bg-raised aria-pressed:text-accent"
      onClick={toggle}
    />
  )
}

/** Says of a thread that it was made elsewhere. */
function ImportedChip({ origin: { importedAt, exportedAt, masked } }: { origin: Origin }) {
  const redacted = masked === undefined ? '' : `; redacted, ${masked} masked`
  return (
    <span
      className="shrink-0 text-small text-muted"
      title={`From a file of ${moment(exportedAt)}, imported ${moment(importedAt)}${redacted}`}
    >
      Imported{masked !== undefined && ', redacted'}
    </span>
  )
}

function FolderChip({
  settings: { folder, folderMissing, sample },
  onLocate,
}: {
  settings: StudioThread
  onLocate: () => void
}) {
  if (folderMissing || !folder) {
    return (
      <span className="flex min-w-0 items-center gap-2 text-small text-wait">
        <Icon node={FolderX} size={14} />
        <span className="truncate" title={folder}>
          {folder ? `Folder is gone: ${folder}` : 'No folder'}
        </span>
        <Button small tone="wait" onClick={onLocate}>
          {folder ? 'Locate…' : 'Choose…'}
        </Button>
      </span>
    )
  }
  return (
    <span className="flex min-w-0 items-center gap-2 text-small text-muted" title={folder}>
      <Icon node={Folder} size={14} />
      <span className="truncate">{sample ? 'Sample project' : shortPath(folder)}</span>
    </span>
  )
}

/** The attached server a thread is on. */
function ServerChip({ name }: { name: string }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-small text-muted" title={`This thread is on ${name}`}>
      <Icon node={Cable} size={14} />
      <span className="truncate">{name}</span>
    </span>
  )
}

function Rename({ title, onDone }: { title: string; onDone: (title: string) => void }) {
  const [text, setText] = useState(title)
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') onDone(text.trim())
    else if (event.key === 'Escape') onDone('')
    else return
    event.preventDefault()
  }
  return (
    <input
      aria-label="Thread title"
      className="h-7 w-80 min-w-0 rounded-control border border-faint bg-bg px-2 font-semibold"
      value={text}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={press}
      onBlur={() => onDone(text.trim())}
    />
  )
}
