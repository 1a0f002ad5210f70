import { useId } from 'react'
import type { ShareFormat } from '../../transport/share'

const formats: { value: ShareFormat; label: string; note: string }[] = [
  {
    value: 'callboard',
    label: 'Callboard file',
    note: 'All of it, to be imported again: events, calls, arguments byte for byte, images.',
  },
  { value: 'markdown', label: 'Markdown', note: 'For people to read: messages, calls, results and diffs.' },
]

/** What the thread is written as. */
export function Format({ value, onChange }: { value: ShareFormat; onChange: (format: ShareFormat) => void }) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-small font-medium text-muted">Write it as</legend>
      {formats.map((format) => (
        <label key={format.value} className="flex min-h-6 items-start gap-2">
          <input
            type="radio"
            name={name}
            className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
            checked={value === format.value}
            onChange={() => onChange(format.value)}
          />
          <span className="min-w-0">
            {format.label}
            <span className="block text-small text-muted">{format.note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface CheckProps {
  label: string
  note: string
  on: boolean
  onChange: (on: boolean) => void
}

/** A choice that is made or not, with what it means. */
export function Check({ label, note, on, onChange }: CheckProps) {
  const id = useId()
  return (
    <div className="flex min-h-6 items-start gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={`${id}-note`}
        className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-note`} className="text-small text-muted">
          {note}
        </p>
      </div>
    </div>
  )
}
