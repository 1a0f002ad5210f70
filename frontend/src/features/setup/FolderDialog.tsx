import CornerLeftUp from 'lucide/dist/esm/icons/corner-left-up.mjs'
import Folder from 'lucide/dist/esm/icons/folder.mjs'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { type FolderListing, isUnreadable } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextInput } from '../../ui/Field'
import { Icon } from '../../ui/Icon'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'

interface Props {
  start: string
  /** Gets the folder that was chosen, or an empty path. */
  onClose: (path: string) => void
}

/** Chooses a folder on the machine the Studio runs on. */
export function FolderDialog({ start, onClose }: Props) {
  const { api } = useApp()
  const [listing, setListing] = useState<FolderListing>()
  const [typed, setTyped] = useState(start)
  const [fault, setFault] = useState<string>()
  const go = useCallback(
    async (path: string) => {
      try {
        const answer = await api.folders(path)
        setListing(answer)
        setTyped(answer.path)
        setFault(answer.error || undefined)
      } catch (cause) {
        setFault(messageOf(cause))
      }
    },
    [api],
  )
  useEffect(() => {
    void go(start)
  }, [go, start])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void go(typed.trim())
  }
  return (
    <Dialog
      open
      onClose={() => onClose('')}
      title="Choose a folder"
      footer={
        <>
          <Button tone="ghost" onClick={() => onClose('')}>
            Cancel
          </Button>
          <Button
            tone="primary"
            disabled={!listing || isUnreadable(listing)}
            onClick={() => listing && onClose(listing.path)}
          >
            Use this folder
          </Button>
        </>
      }
    >
      <form className="flex gap-2" onSubmit={submit}>
        <TextInput
          aria-label="Path"
          className="font-mono"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">Go</Button>
      </form>
      {fault && <p className="pt-2 text-small text-err [overflow-wrap:anywhere]">{fault}</p>}
      <ul className="mt-3 h-72 overflow-y-auto rounded-block border border-border p-1">
        {!listing && !fault && (
          <li className="flex items-center gap-2 p-2 text-small text-muted">
            <Spinner size={14} /> Reading…
          </li>
        )}
        {listing?.parent && <Entry icon="up" name=".." onOpen={() => void go(listing.parent)} />}
        {listing?.entries.map((entry) => (
          <Entry key={entry.path} icon="folder" name={entry.name} onOpen={() => void go(entry.path)} />
        ))}
        {listing && listing.entries.length === 0 && <li className="p-2 text-small text-faint">No folders in here</li>}
      </ul>
    </Dialog>
  )
}

function Entry({ icon, name, onOpen }: { icon: 'up' | 'folder'; name: string; onOpen: () => void }) {
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex h-7 w-full items-center gap-2 rounded-control px-2 text-left text-small hover:bg-raised"
      >
        <Icon node={icon === 'up' ? CornerLeftUp : Folder} size={14} className="text-muted" />
        <span className="truncate">
          <Verbatim text={name} />
        </span>
      </button>
    </li>
  )
}
