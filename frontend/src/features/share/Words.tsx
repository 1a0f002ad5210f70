import X from 'lucide/dist/esm/icons/x.mjs'
import { type FormEvent, useState } from 'react'
import { Button, IconButton } from '../../ui/Button'
import { Field, TextInput } from '../../ui/Field'

interface Props {
  words: readonly string[]
  onChange: (words: string[]) => void
}

/** The shortest word, in bytes as the server counts them; a shorter one would be found everywhere. */
const shortest = 2

/** A person's own words that are to be masked. */
export function Words({ words, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const word = typed.trim()
  const short = word !== '' && new TextEncoder().encode(word).length < shortest
  const known = words.some((each) => each.toLowerCase() === word.toLowerCase())
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (word === '' || short) return
    if (!known) onChange([...words, word])
    setTyped('')
  }
  return (
    <form onSubmit={add} className="flex flex-col gap-2">
      <Field
        label="Mask these words too"
        note="Names, addresses, projects: in any case, wherever they stand."
        error={short ? 'One character would be found everywhere: write at least two.' : undefined}
      >
        {(id, describedBy) => (
          <div className="flex gap-2">
            <TextInput
              id={id}
              aria-describedby={describedBy}
              maxLength={120}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button type="submit" disabled={word === '' || short}>
              Add
            </Button>
          </div>
        )}
      </Field>
      {words.length > 0 && (
        <ul aria-label="Words to mask" className="flex flex-wrap gap-1">
          {words.map((each) => (
            <li
              key={each}
              className="flex min-w-0 items-center gap-1 rounded-control border border-border bg-raised pl-2 text-small"
            >
              <span className="min-w-0 truncate">{each}</span>
              <IconButton
                icon={X}
                size={12}
                label={`Do not mask ${each}`}
                onClick={() => onChange(words.filter((other) => other !== each))}
              />
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}
