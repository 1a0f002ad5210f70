import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { KeyHome } from '../../transport/answers'
import { keyHomes } from '../../transport/answers'
import { Field } from '../../ui/Field'
import { Select } from '../../ui/Select'

interface Props {
  /** What is kept: "the key". */
  label: string
  value: KeyHome
  onChange: (home: KeyHome) => void
}

/** Where a secret is kept: in the system's keychain, in memory, or in a file; and why the first cannot be had. */
export function KeepSelect({ label, value, onChange }: Props) {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const { available, reason } = state?.keychain ?? { available: false, reason: '' }
  const options = [
    { value: 'keychain', label: 'In the keychain', note: 'The system’s own: it is there after a restart' },
    { value: 'memory', label: 'Until Callboard closes' },
    { value: 'file', label: 'In a file', note: 'keys.json in the data folder, readable by you alone' },
  ].filter((option) => available || option.value !== 'keychain' || value === 'keychain')
  return (
    <Field label={label} note={!available && reason ? `Not in the keychain: ${reason}.` : undefined}>
      {(id, note) => (
        <Select
          id={id}
          aria-describedby={note}
          label={label}
          className="w-52"
          value={value}
          options={options}
          onChange={(next) => onChange(keyHomes.find((home) => home === next) ?? 'memory')}
        />
      )}
    </Field>
  )
}

/** Where a new secret goes when nobody said. */
export function useKeyHome(kept: string): KeyHome {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const home = keyHomes.find((each) => each === kept)
  return home ?? (state?.keychain.available ? 'keychain' : 'memory')
}
