import X from 'lucide/dist/esm/icons/x.mjs'
import { type FormEvent, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import { Button, IconButton } from '../../ui/Button'
import { Field, TextInput } from '../../ui/Field'

/** The hosts off the public net that the browser may reach. */
export function BrowserHosts({ hosts }: { hosts: string[] }) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const save = async (browserHosts: string[]) => {
    setBusy(true)
    setFault(undefined)
    try {
      await app.studio.save({ browserHosts })
      setTyped('')
    } catch (cause) {
      setFault(messageOf(cause))
    } finally {
      setBusy(false)
    }
  }
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim()) void save([...hosts, typed.trim()])
  }
  return (
    <form onSubmit={add}>
      <Field
        label="Hosts the browser may reach besides the public net"
        note="A name or an address, with or without a port: localhost:3000"
        error={fault}
      >
        {(id, describedBy) => (
          <>
            {hosts.length > 0 && (
              <ul className="flex flex-wrap gap-2 pb-1" aria-label="Hosts">
                {hosts.map((host) => (
                  <li
                    key={host}
                    className="flex min-w-0 items-center gap-1 rounded-control border border-border bg-raised pl-2"
                  >
                    <span className="min-w-0 truncate font-mono text-code">{host}</span>
                    <IconButton
                      icon={X}
                      size={12}
                      label={`Remove ${host}`}
                      disabled={busy}
                      onClick={() => void save(hosts.filter((each) => each !== host))}
                    />
                  </li>
                ))}
              </ul>
            )}
            <div className="flex gap-2">
              <TextInput
                id={id}
                aria-describedby={describedBy}
                aria-invalid={fault !== undefined || undefined}
                className="font-mono"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
              <Button type="submit" busy={busy} disabled={!typed.trim()}>
                Add
              </Button>
            </div>
          </>
        )}
      </Field>
    </form>
  )
}
