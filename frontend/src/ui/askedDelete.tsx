import Trash from 'lucide/dist/esm/icons/trash.mjs'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from './Button'

interface Props {
  /** What is deleted. */
  name: string
  question: string
  onDelete: () => Promise<void>
}

/**
 * A button that deletes something, and what it asks before it does, each to be put where it belongs. The focus goes back to the
 * button, or, when the thing is gone, to the heading of the section it was in.
 */
export function useAskedDelete({ name, question, onDelete }: Props): { button: ReactNode; asking: ReactNode } {
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const heading = useRef<HTMLElement>(null)
  useEffect(
    () => () => {
      if (document.activeElement === document.body) heading.current?.focus()
    },
    [],
  )
  const keep = () => {
    setAsks(false)
    button.current?.focus()
  }
  const remove = async () => {
    heading.current = button.current?.closest('section')?.querySelector('h3') ?? null
    setBusy(true)
    await onDelete()
    setBusy(false)
    keep()
  }
  return {
    button: <IconButton ref={button} icon={Trash} size={14} label={`Delete ${name}`} onClick={() => setAsks(true)} />,
    asking: asks && (
      <div className="flex items-center gap-2 text-small">
        <span className="min-w-0 flex-1">{question}</span>
        <Button small tone="danger" autoFocus busy={busy} onClick={() => void remove()}>
          Delete
        </Button>
        <Button small tone="ghost" disabled={busy} onClick={keep}>
          Keep
        </Button>
      </div>
    ),
  }
}
