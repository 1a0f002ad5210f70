import { Button } from '../../ui/Button'

interface Props {
  /** The word on the button that takes what was entered. */
  action: string
  busy: boolean
  disabled: boolean
  error?: string
  disabledBecause?: string
  onSubmit: () => void
  onCancel: () => void
}

/** What is wrong with what was entered, and the buttons under it. */
export function SubmitRow({ action, busy, disabled, error, disabledBecause, onSubmit, onCancel }: Props) {
  return (
    <>
      {error && (
        <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          busy={busy}
          disabled={disabled || disabledBecause !== undefined}
          title={disabledBecause}
          onClick={onSubmit}
        >
          {action}
        </Button>
        <Button tone="ghost" onClick={onCancel}>
          Back
        </Button>
      </div>
    </>
  )
}
