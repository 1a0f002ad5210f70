import Plus from 'lucide/dist/esm/icons/plus.mjs'
import Trash2 from 'lucide/dist/esm/icons/trash.mjs'
import { useId, useState } from 'react'
import { useApp } from '../../state/app'
import type { Price } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button, IconButton } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextInput } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { type Draft, draftOf, pricesOf } from './prices'

interface Props {
  prices: Price[]
  /** Models that have no price yet. */
  suggested: string[]
  onClose: () => void
}

const parts: [keyof Omit<Draft, 'key'>, string][] = [
  ['model', 'Model'],
  ['input', 'Input'],
  ['cachedInput', 'Cached'],
  ['output', 'Output'],
]

/** What models' tokens cost: edited here, kept in the settings. */
export function PricesDialog({ prices, suggested, onClose }: Props) {
  const app = useApp()
  const formId = useId()
  const [drafts, setDrafts] = useState(() => [...prices, ...suggested].map(draftOf))
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const change = (key: number, part: keyof Draft, text: string) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, [part]: text } : draft)))
  const save = async () => {
    const read = pricesOf(drafts)
    if ('fault' in read) return setFault(read.fault)
    setBusy(true)
    try {
      await app.studio.save({ prices: read.prices })
      onClose()
    } catch (cause) {
      setFault(messageOf(cause))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Prices"
      footer={
        <>
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" type="submit" form={formId} busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <p className="text-small text-muted">
          US dollars per million tokens. A model’s name may end with * for all that begin so. Without a price of their
          own, cached tokens cost what other input does.
        </p>
        {fault && (
          <Notice tone="err" role="alert">
            {fault}
          </Notice>
        )}
        {drafts.length > 0 && (
          <div className="grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem_4.5rem_1.5rem] items-center gap-2">
            {parts.map(([part, name]) => (
              <span key={part} className="text-small font-medium text-muted">
                {name}
              </span>
            ))}
            <span />
            {drafts.map((draft, index) => (
              <div key={draft.key} className="contents">
                {parts.map(([part, name]) => (
                  <TextInput
                    key={part}
                    aria-label={`${name}, price ${index + 1}`}
                    inputMode={part === 'model' ? 'text' : 'decimal'}
                    value={draft[part]}
                    onChange={(event) => change(draft.key, part, event.target.value)}
                  />
                ))}
                <IconButton
                  icon={Trash2}
                  label={`Remove price ${index + 1}`}
                  onClick={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
                />
              </div>
            ))}
          </div>
        )}
        <Button icon={Plus} className="self-start" onClick={() => setDrafts([...drafts, draftOf('')])}>
          Add a price
        </Button>
      </form>
    </Dialog>
  )
}
