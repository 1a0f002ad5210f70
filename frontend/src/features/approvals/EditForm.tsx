import { lazy, Suspense, useState } from 'react'
import { isJsonError, parseJson, pretty } from '../../protocol/json'
import { Button } from '../../ui/Button'
import { ErrorBoundary } from '../../ui/ErrorBoundary'

const ArgumentsEditor = lazy(() => import('./ArgumentsEditor'))

interface Props {
  label: string
  initial: string
  /** The word on the button that takes the text. */
  action: string
  busy: boolean
  error?: string
  disabledBecause?: string
  /** Takes the text; changed is false when it is what the form began with. */
  onSubmit: (text: string, changed: boolean) => void
  onCancel: () => void
}

/** JSON as text, laid out over lines, with a button that takes it once it is JSON. */
export function EditForm({ label, initial, action, busy, error, disabledBecause, onSubmit, onCancel }: Props) {
  const [begun] = useState(() => pretty(initial))
  const [text, setText] = useState(begun)
  const parsed = parseJson(text)
  const fault = isJsonError(parsed) ? `Not JSON: ${parsed.message}` : undefined
  return (
    <div className="flex flex-col gap-2">
      <ErrorBoundary what="The editor">
        <Suspense fallback={<p className="text-small text-faint">Opening the editor…</p>}>
          <ArgumentsEditor label={label} initial={begun} onChange={setText} />
        </Suspense>
      </ErrorBoundary>
      {(fault ?? error) && (
        <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
          {fault ?? error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          busy={busy}
          disabled={fault !== undefined || disabledBecause !== undefined}
          title={disabledBecause}
          onClick={() => onSubmit(text, text !== begun)}
        >
          {action}
        </Button>
        <Button tone="ghost" onClick={onCancel}>
          Back
        </Button>
      </div>
    </div>
  )
}
