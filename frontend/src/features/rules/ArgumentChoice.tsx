import { escapeInvisible } from '../../protocol/text'
import { TextInput } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { Verbatim } from '../../ui/Verbatim'
import type { Choice } from './choices'

interface Props {
  choice: Choice
  onChange: (choice: Choice) => void
}

/** What a rule asks of one argument: to be as it is here, to fit a pattern, or nothing. */
export function ArgumentChoice({ choice, onChange }: Props) {
  const { path, value, mode, pattern } = choice
  const name = escapeInvisible(path)
  const modes = [
    { value: 'equals', label: 'must equal' },
    ...(value.kind === 'string' ? [{ value: 'pattern', label: 'fits the pattern' }] : []),
    { value: 'any', label: 'may be anything' },
  ]
  const choose = (next: string) => onChange({ ...choice, mode: next === 'pattern' || next === 'any' ? next : 'equals' })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div role="group" aria-label={name} className="flex flex-col gap-1 rounded-block border border-border p-2">
      <div className="flex items-center gap-2">
        <code className="min-w-0 flex-1 text-code text-muted [overflow-wrap:anywhere]">{name}</code>
        <Select label={`${name}: what it must be`} className="w-40" value={mode} options={modes} onChange={choose} />
      </div>
      {mode === 'equals' && (
        <pre className="max-h-32 overflow-y-auto text-code break-spaces">
          <Verbatim text={value.text} />
        </pre>
      )}
      {mode === 'pattern' && (
        <>
          <TextInput
            aria-label={`${name}: the pattern`}
            className="font-mono text-code"
            value={pattern}
            onChange={(event) => onChange({ ...choice, pattern: event.target.value })}
          />
          <p className="text-small text-faint">
            A * stands for any text without the characters a shell reads, such as ; &amp; | and $.
          </p>
        </>
      )}
    </div>
  )
}
