import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/Button'
import { TextInput } from '../../ui/Field'

interface Props {
  /** 0 keeps every thread. */
  days: number
  disabled: boolean
  onSave: (days: number) => Promise<void>
}

/** Says after how many days without an event a thread is deleted. It is saved when it is asked to, for what it deletes is gone. */
export function Retention({ days, disabled, onSave }: Props) {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const written = typed ?? String(days)
  const wanted = /^\d+$/.test(written.trim()) ? Number(written) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== undefined) void onSave(wanted)
  }
  return (
    <form className="flex flex-col gap-1" onSubmit={submit}>
      <div className="flex min-h-7 flex-wrap items-center gap-2 text-small text-muted">
        <label htmlFor={id}>Delete threads after</label>
        <span className="w-16">
          <TextInput
            id={id}
            aria-label="Delete threads after so many days without an event"
            aria-describedby={`${id}-note`}
            aria-invalid={wanted === undefined || undefined}
            inputMode="numeric"
            className="tnum text-right"
            value={written}
            onChange={(event) => setTyped(event.target.value)}
          />
        </span>
        <span>{wanted === 1 ? 'day' : 'days'} without an event</span>
        <span className="flex-1" />
        <Button small type="submit" disabled={disabled || wanted === undefined || wanted === days}>
          Save
        </Button>
      </div>
      <p id={`${id}-note`} className="text-small text-faint">
        {wanted === undefined
          ? 'A whole number of days, or 0.'
          : wanted === 0
            ? '0 keeps every thread.'
            : 'They cannot be brought back. A thread that works or waits for you stays.'}
      </p>
    </form>
  )
}
