interface Props {
  /** What it switches. */
  label: string
  on: boolean
  onChange: (on: boolean) => void
}

/** Switches one thing on and off, and says which it is. */
export function Switch({ label, on, onChange }: Props) {
  return (
    <label className="flex h-6 shrink-0 items-center gap-1.5 text-small text-muted">
      <input
        type="checkbox"
        aria-label={`${label}: on`}
        className="h-4 w-4 accent-accent"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
      />
      {on ? 'on' : 'off'}
    </label>
  )
}
