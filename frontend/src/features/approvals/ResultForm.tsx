import { useState } from 'react'
import { JsonEditor, notJson } from './JsonEditor'
import { SubmitRow } from './SubmitRow'

interface Props {
  busy: boolean
  error?: string
  disabledBecause?: string
  onSubmit: (json: string) => void
  onCancel: () => void
}

/** The result of a call whose end is not known, as JSON. */
export function ResultForm({ error, onSubmit, ...row }: Props) {
  const [text, setText] = useState('""')
  const fault = notJson(text)
  return (
    <div className="flex flex-col gap-2">
      <JsonEditor label="Result as JSON" initial={text} onChange={setText} />
      <SubmitRow
        {...row}
        error={fault ?? error}
        disabled={fault !== undefined}
        action="Hand in this result"
        onSubmit={() => onSubmit(text)}
      />
    </div>
  )
}
