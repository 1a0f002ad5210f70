import { useState } from 'react'
import { useApp } from '../../state/app'
import type { Attached, AttachedTest } from '../../transport/attached'
import { Button } from '../../ui/Button'
import { DialogForm, type FormFault } from '../../ui/DialogForm'
import { TextField } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { AttachOutcome } from './AttachOutcome'
import { FieldFault, formFault } from './formFault'
import { KeepSelect, useKeyHome } from './KeepSelect'

interface Props {
  /** The one to change; absent for a new one. */
  server?: Attached
  /** What is asked to be attached, and under which name. */
  address?: string
  asName?: string
  onDone: () => void
}

/** A server of the protocol: its address and token, and what it said when it was asked. */
export function AttachForm({ server, address, asName, onDone }: Props) {
  const app = useApp()
  const [url, setUrl] = useState(server?.url ?? address ?? '')
  const [name, setName] = useState(server?.name ?? asName ?? '')
  const [token, setToken] = useState('')
  const [keep, setKeep] = useState(useKeyHome(server?.tokenKept ?? ''))
  const [saved, setSaved] = useState(server)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<FormFault>()
  const [result, setResult] = useState<AttachedTest>()
  const called = name.trim() || hostOf(url)

  const attach = async () => {
    if (!url.trim()) throw new FieldFault('url', 'It needs an address, such as http://127.0.0.1:4830.')
    if (!called) throw new FieldFault('url', `“${url.trim()}” is no address. One is http://127.0.0.1:4830.`)
    const { state } = app.studio.cell.get()
    if (!saved && state?.attached.some((each) => each.name === called))
      throw new FieldFault('name', `A server of the name ${called} is attached already: give this one another name.`)
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
  const wrong = (field: string) => (fault?.field === field ? fault.text : undefined)
  const submit = () => {
    setBusy(true)
    setFault(undefined)
    setResult(undefined)
    attach()
      .catch((cause: unknown) => setFault(formFault(cause, ['name', 'url', 'token'])))
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
    <DialogForm
      fault={fault}
      outcome={result && <AttachOutcome result={result} />}
      onEdit={() => {
        setFault(undefined)
        setResult(undefined) // what is written now was not asked
      }}
      onSubmit={submit}
      buttons={(form) => (
        <>
          <Button tone="ghost" onClick={onDone}>
            {saved ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" form={form} tone={agent ? undefined : 'primary'} busy={busy}>
            {saved ? 'Save and test' : 'Attach'}
          </Button>
          {agent && (
            <Button tone="primary" autoFocus onClick={begin}>
              {`New thread with ${agent}`}
            </Button>
          )}
        </>
      )}
    >
      {address && !asName && !saved && (
        <Notice>A link asks to attach this server. Nothing is sent to it before you press Attach.</Notice>
      )}
      <TextField
        label="Address"
        note="Where it serves the protocol. An address with its token, as a studio prints it, will do."
        error={wrong('url')}
        className="font-mono"
        value={url}
        placeholder="http://127.0.0.1:4830"
        autoFocus
        onChange={(event) => setUrl(event.target.value)}
      />
      {!saved && (
        <TextField
          label="Name"
          note="Stands after the names of its agents. Empty is its address."
          error={wrong('name')}
          value={name}
          maxLength={64}
          placeholder={hostOf(url)}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label="Token"
        note={saved?.hasToken ? 'There is a token. Leave this empty to keep it.' : 'Leave it empty if it needs none.'}
        error={wrong('token')}
        type="password"
        className="font-mono"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <KeepSelect label="Keep the token" value={keep} onChange={setKeep} />
    </DialogForm>
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
