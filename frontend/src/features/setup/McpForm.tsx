import { useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { McpServer, McpTest } from '../../transport/mcp'
import { Button } from '../../ui/Button'
import { DialogForm, type FormFault } from '../../ui/DialogForm'
import { Field, TextAreaField, TextField } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { FieldFault, formFault } from './formFault'
import { KeepSelect, useKeyHome } from './KeepSelect'
import { McpOutcome } from './McpOutcome'
import { type Draft, draftOf, inputOf } from './mcpDraft'
import { onto } from './onto'
import { Secrets } from './Secrets'

interface Props {
  /** The one to change; absent for a new one. */
  server?: McpServer
  onDone: () => void
}

/** A server over MCP: how it is reached, what it is given, whose calls are asked about, and a test of it. */
export function McpForm({ server, onDone }: Props) {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const [saved, setSaved] = useState(server)
  const usual = useKeyHome(server?.secretsKept ?? '')
  const [draft, setDraft] = useState(() => draftOf(server, usual))
  const [busy, setBusy] = useState<'test' | 'save'>()
  const [fault, setFault] = useState<FormFault>()
  const [result, setResult] = useState<McpTest>()
  const wrong = (field: string) => (fault?.field === field ? fault.text : undefined)
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setFault(undefined)
    setResult(undefined) // what is written now was not tested
  }
  const name = draft.name.trim()

  /** A server that is tested next is started by its test. */
  const save = async (next?: 'test') => {
    if (!saved && state?.mcpServers.some((each) => each.name === name))
      throw new FieldFault('name', `There is a server of the name ${name} already.`)
    const written = inputOf(draft, saved)
    const stored = saved && (await app.api.studio()).mcpServers.find((each) => each.name === saved.name)
    const asStored = (server: McpServer) => inputOf(draftOf(server, usual), server)
    const input = stored ? onto(asStored(stored), asStored(saved), written) : written
    const now = await app.api.saveMcp(name, next ? { ...input, start: false } : input)
    setSaved(now)
    // The dialog bears its name from now on, unless somebody closed it meanwhile.
    const open = app.setUp.get()
    if (open?.kind === 'mcp') app.setUp.set({ ...open, server: now })
    setDraft(draftOf(now, usual))
    return now
  }
  const run = async (what: 'test' | 'save', work: () => Promise<void>) => {
    setBusy(what)
    setFault(undefined)
    setResult(undefined)
    try {
      await work()
    } catch (cause) {
      setFault(formFault(cause, []))
    } finally {
      setBusy(undefined)
      void app.studio.refresh()
    }
  }
  const test = () =>
    run('test', async () => {
      await save('test')
      setResult(await app.api.testMcp(name))
    })
  const submit = () =>
    run('save', async () => {
      const { secretFault } = await save()
      if (!secretFault) onDone()
    })
  const isStdio = draft.transport === 'stdio'
  const secrets = isStdio ? draft.env : draft.headers
  return (
    <DialogForm
      fault={fault}
      outcome={result && <McpOutcome result={result} />}
      onSubmit={() => void submit()}
      buttons={(form) => (
        <>
          <Button tone="ghost" onClick={onDone}>
            {result ? 'Close' : 'Cancel'}
          </Button>
          <Button busy={busy === 'test'} disabled={busy !== undefined} onClick={() => void test()}>
            Save and test
          </Button>
          <Button type="submit" form={form} tone="primary" busy={busy === 'save'} disabled={busy !== undefined}>
            Save
          </Button>
        </>
      )}
    >
      {!saved && (
        <TextField
          label="Name"
          note="Stands before the names of its tools. Letters, digits and -"
          error={wrong('name')}
          value={draft.name}
          maxLength={32}
          autoFocus
          onChange={(event) => change({ name: event.target.value })}
        />
      )}
      <Field label="How it is reached">
        {(id) => (
          <Select
            id={id}
            autoFocus={server !== undefined}
            label="How it is reached"
            className="w-full"
            value={draft.transport}
            options={[
              { value: 'stdio', label: 'A program on this machine', note: 'It is started, and spoken with over stdio' },
              { value: 'http', label: 'An address', note: 'Streamable HTTP' },
            ]}
            onChange={(transport) => change({ transport: transport === 'http' ? 'http' : 'stdio' })}
          />
        )}
      </Field>
      {isStdio ? (
        <>
          <TextField
            label="Command"
            error={wrong('command')}
            className="font-mono"
            value={draft.command}
            placeholder="npx"
            onChange={(event) => change({ command: event.target.value })}
          />
          <TextAreaField
            label="Arguments"
            note="One a line, as they are: no quotes."
            className="font-mono text-code"
            value={draft.args}
            onChange={(event) => change({ args: event.target.value })}
          />
        </>
      ) : (
        <TextField
          label="Address"
          error={wrong('url')}
          className="font-mono"
          value={draft.url}
          placeholder="https://example.com/mcp"
          onChange={(event) => change({ url: event.target.value })}
        />
      )}
      <Secrets
        one={isStdio ? 'variable' : 'header'}
        title={isStdio ? 'Environment' : 'Headers'}
        secrets={secrets}
        missing={saved?.missing ?? []}
        wrong={wrong}
        onChange={(next) => change(isStdio ? { env: next } : { headers: next })}
      />
      {secrets.length > 0 && (
        <KeepSelect
          label="Keep the values"
          value={draft.keepSecrets}
          onChange={(keepSecrets) => change({ keepSecrets })}
        />
      )}
      <Field label="Which of its calls wait for you">
        {(id) => (
          <Select
            id={id}
            label="Which of its calls wait for you"
            className="w-full"
            value={draft.asks || 'unlessReadOnly'}
            options={[
              { value: 'unlessReadOnly', label: 'All but those of tools that only read, as the server says' },
              { value: 'destructive', label: 'Those of tools that may destroy something, as the server says' },
              { value: 'always', label: 'All of them' },
              { value: 'never', label: 'None', note: 'Its tools then do as the model says' },
            ]}
            onChange={(asks) =>
              change({ asks: asks === 'destructive' || asks === 'always' || asks === 'never' ? asks : '' })
            }
          />
        )}
      </Field>
      {saved?.secretFault && <Notice tone="wait">{saved.secretFault}</Notice>}
    </DialogForm>
  )
}
