import { type FormEvent, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/api'
import type { Attached, AttachedTest } from '../../transport/attached'
import { Button } from '../../ui/Button'
import { Field, TextInput } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { AttachOutcome } from './AttachOutcome'

interface Props {
  /** The one to change; absent for a new one. */
  server?: Attached
  /** What a link asks to attach. */
  address?: string
  onDone: () => void
}

/** A server of the protocol: its address and token, and what it said when it was asked. */
export function AttachForm({ server, address, onDone }: Props) {
  const app = useApp()
  const [url, setUrl] = useState(server?.url ?? address ?? '')
  const [name, setName] = useState(server?.name ?? '')
  const [token, setToken] = useState('')
  const [keep, setKeep] = useState(server?.tokenKept || 'memory')
  const [saved, setSaved] = useState(server)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [result, setResult] = useState<AttachedTest>()
  const called = name.trim() || hostOf(url)

  const attach = async () => {
    if (!url.trim()) throw new Error('It needs an address, such as http://127.0.0.1:4830.')
    if (!called) throw new Error(`“${url.trim()}” is no address. One is http://127.0.0.1:4830.`)
    const { state } = app.studio.cell.get()
    if (!saved && state?.attached.some((each) => each.name === called))
      throw new Error(`A server of the name ${called} is attached already: give this one another name.`)
    const now = await app.api.saveAttached(called, {
      url: url.trim(),
      keepToken: keep,
      ...(token.trim() && { token: token.trim() }),
    })
    setSaved(now)
    setName(now.name)
    setToken('')
    const tested = await app.api.testAttached(now.name)
    setUrl(tested.server.url)
    setResult(tested.ok ? { ...tested, server: { ...tested.server, tokenFault: now.tokenFault } } : tested)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    setResult(undefined)
    attach()
      .catch((cause: unknown) => setError(messageOf(cause)))
      .finally(() => {
        setBusy(false)
        void app.studio.refresh()
      })
  }
  const agent = result?.ok ? result.server.agents[0] : undefined
  const begin = () => {
    app.setUp.set(undefined)
    app.newChoice.set({ agentName: `${agent}@${result?.server.name}` })
    app.router.go({ kind: 'new' })
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {address && !saved && (
        <Notice>A link asks to attach this server. Nothing is sent to it before you press Attach.</Notice>
      )}
      <Field
        label="Address"
        note="Where it serves the protocol. An address with its token, as a studio prints it, will do."
      >
        {(id, note) => (
          <TextInput
            id={id}
            aria-describedby={note}
            className="font-mono"
            value={url}
            placeholder="http://127.0.0.1:4830"
            autoFocus
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      {!saved && (
        <Field label="Name" note="Stands after the names of its agents. Empty is its address.">
          {(id, note) => (
            <TextInput
              id={id}
              aria-describedby={note}
              value={name}
              maxLength={64}
              placeholder={hostOf(url)}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="grid items-start gap-2 sm:grid-cols-[1fr_auto]">
        <Field
          label="Token"
          note={saved?.hasToken ? 'There is a token. Leave this empty to keep it.' : 'Leave it empty if it needs none.'}
        >
          {(id, note) => (
            <TextInput
              id={id}
              type="password"
              aria-describedby={note}
              className="font-mono"
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Field label="Keep the token">
          {() => (
            <Select
              label="Keep the token"
              className="w-52"
              value={keep}
              options={[
                ...(server?.tokenKept === 'keychain'
                  ? [{ value: 'keychain', label: 'In the keychain', note: 'Of the system' }]
                  : []),
                { value: 'memory', label: 'Until Callboard closes' },
                { value: 'file', label: 'In a file', note: 'keys.json in the data folder, readable by you alone' },
              ]}
              onChange={(next) => setKeep(next === 'file' || next === 'keychain' ? next : 'memory')}
            />
          )}
        </Field>
      </div>
      {error && (
        <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
      {result && <AttachOutcome result={result} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button tone="ghost" onClick={onDone}>
          {saved ? 'Close' : 'Cancel'}
        </Button>
        <Button type="submit" tone={agent ? undefined : 'primary'} busy={busy}>
          {saved ? 'Save and test' : 'Attach'}
        </Button>
        {agent && (
          <Button tone="primary" autoFocus onClick={begin}>
            {`New thread with ${agent}`}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The host of an address, as a server is called that is given no name. */
function hostOf(url: string): string {
  try {
    const address = url.trim()
    return new URL(address.includes('://') ? address : `http://${address}`).host.replace(/[[\]]/g, '')
  } catch {
    return ''
  }
}
