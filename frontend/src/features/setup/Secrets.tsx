import Plus from 'lucide/dist/esm/icons/plus.mjs'
import Trash from 'lucide/dist/esm/icons/trash.mjs'
import { useId } from 'react'
import { Button, IconButton } from '../../ui/Button'
import { TextInput } from '../../ui/Field'
import { type Secret, secretField, secretOf } from './mcpDraft'

interface Props {
  title: string
  /** What one of them is. */
  one: 'variable' | 'header'
  secrets: Secret[]
  /** Names whose value is gone. */
  missing: string[]
  /** What is wrong with a field of the form, by its name. */
  wrong: (field: string) => string | undefined
  onChange: (secrets: Secret[]) => void
}

/** Names with values that are written and never shown again. */
export function Secrets({ title, one, secrets, missing, wrong, onChange }: Props) {
  const heading = useId()
  const change = (key: number, part: Partial<Secret>) =>
    onChange(secrets.map((each) => (each.key === key ? { ...each, ...part } : each)))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand in a column
    <div role="group" aria-labelledby={heading} className="flex flex-col gap-1">
      <p id={heading} className="text-small font-medium text-muted">
        {title}
      </p>
      {secrets.map(({ key, name, value, kept }, index) => (
        <div key={key} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.5rem] items-center gap-2">
          <TextInput
            aria-label={`Name of ${one} ${index + 1}`}
            className="font-mono"
            aria-invalid={wrong(secretField(key)) ? true : undefined}
            aria-describedby={wrong(secretField(key)) && `${heading}-${key}`}
            placeholder="Name"
            value={name}
            readOnly={kept}
            onChange={(event) => change(key, { name: event.target.value })}
          />
          <TextInput
            type="password"
            aria-label={`Value of ${one} ${index + 1}`}
            className="font-mono"
            placeholder={kept ? (missing.includes(name) ? 'gone: write it again' : 'kept') : 'Value'}
            value={value}
            onChange={(event) => change(key, { value: event.target.value })}
          />
          <IconButton
            icon={Trash}
            size={14}
            label={`Remove ${one} ${index + 1}`}
            onClick={() => onChange(secrets.filter((each) => each.key !== key))}
          />
          <p id={`${heading}-${key}`} className="col-span-full text-small text-err empty:hidden">
            {wrong(secretField(key))}
          </p>
        </div>
      ))}
      <Button small icon={Plus} className="self-start" onClick={() => onChange([...secrets, secretOf('')])}>
        Add a {one}
      </Button>
    </div>
  )
}
