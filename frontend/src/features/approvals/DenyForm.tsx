import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/Button'
import { TextInput } from '../../ui/Field'

interface Props {
  busy: boolean
  error?: string
  disabledBecause?: string
  onSubmit: (reason: string) => void
  onCancel: () => void
}

/** Why not: an optional reason, which the model reads. */
export function DenyForm({ busy, error, disabledBecause, onSubmit, onCancel }: Props) {
  const [reason, setReason] = useState('')
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && !busy && !disabledBecause) onSubmit(reason.trim())
    else if (event.key === 'Escape') onCancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          aria-label="Reason"
          placeholder="Reason, for the model (optional)"
          className="min-w-48 flex-1"
          value={reason}
          autoFocus
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={press}
        />
        <Button
          tone="danger"
          busy={busy}
          disabled={disabledBecause !== undefined}
          title={disabledBecause}
          onClick={() => onSubmit(reason.trim())}
        >
          Deny
        </Button>
        <Button tone="ghost" onClick={onCancel}>
          Back
        </Button>
      </div>
      {error && (
        <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </div>
  )
}
