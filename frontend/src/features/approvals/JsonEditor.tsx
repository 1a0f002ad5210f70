import { Suspense, useState } from 'react'
import { isJsonError, parseJson } from '../../protocol/json'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { lazily } from '../../ui/lazily'

const ArgumentsEditor = lazily(async () => (await import('./ArgumentsEditor')).default)

interface Props {
  label: string
  /** What the editor begins with; later changes of it are not taken. */
  initial: string
  onChange: (text: string) => void
}

/** An editor of JSON as text, once it is loaded. */
export function JsonEditor({ label, initial, onChange }: Props) {
  const [begun] = useState(initial)
  return (
    <ErrorBoundary what="The editor">
      <Suspense fallback={<p className="text-small text-faint">Opening the editor…</p>}>
        <ArgumentsEditor label={label} initial={begun} onChange={onChange} />
      </Suspense>
    </ErrorBoundary>
  )
}

/** Why a text cannot be taken as JSON; undefined when it can. */
export function notJson(text: string): string | undefined {
  const parsed = parseJson(text)
  return isJsonError(parsed) ? `Not JSON: ${parsed.message}` : undefined
}
