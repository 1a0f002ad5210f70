import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import type { CommandPlace, CommandTest } from '../../transport/commandPlace'
import { Button } from '../../ui/Button'
import type { FormFault } from '../../ui/DialogForm'
import { Field, TextField } from '../../ui/Field'
import { Icon } from '../../ui/Icon'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { Verbatim } from '../../ui/Verbatim'
import { formFaults } from './formFault'

const networks = [
  { value: 'none', label: 'None' },
  { value: 'bridge', label: 'Docker’s own', note: 'Reaches the internet' },
  { value: 'host', label: 'This machine’s', note: 'Reaches what listens on this machine, too' },
]

const members = ['image', 'memory', 'pidsLimit', 'network']

/** The container that commands run in. What is written is tried by Test and kept by Save. */
export function CommandPlaceForm({ place }: { place: CommandPlace }) {
  const app = useApp()
  const [draft, setDraft] = useState<CommandPlace & { pids: string }>()
  const [busy, setBusy] = useState<'test' | 'save'>()
  const [faults, setFaults] = useState<FormFault[]>([])
  const [result, setResult] = useState<CommandTest>()
  const now = draft ?? { ...place, pids: place.pidsLimit === 0 ? '' : String(place.pidsLimit) }
  const change = (part: Partial<typeof now>) => {
    setDraft({ ...now, ...part })
    setFaults([])
    setResult(undefined)
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [faults])
  const wrong = (field?: string) => faults.find((fault) => fault.field === field)?.text
  const pidsFault = /^\d{0,9}$/.test(now.pids.trim()) ? undefined : 'A whole number, or nothing for no limit.'
  const pidsWrong = pidsFault ?? wrong('pidsLimit')

  const run = async (what: 'test' | 'save', work: (written: CommandPlace) => Promise<void>) => {
    if (pidsFault) return
    setBusy(what)
    setFaults([])
    setResult(undefined)
    try {
      const { pids, ...written } = now
      await work({ ...written, pidsLimit: Number(pids) })
    } catch (cause) {
      setFaults(formFaults(cause, members))
    } finally {
      setBusy(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run('save', async (commands) => {
      await app.studio.save({ commands })
      setDraft(undefined)
    })
  }
  const test = () => run('test', async (written) => setResult(await app.api.testCommands(written)))
  return (
    <form ref={form} className="flex flex-col gap-3 rounded-block border border-border p-3" onSubmit={submit}>
      <TextField
        label="Image"
        note="It needs a shell. One that is not there is pulled by the first command, or by a test."
        error={wrong('image')}
        className="font-mono"
        value={now.image}
        placeholder="debian:stable-slim"
        onChange={(event) => change({ image: event.target.value })}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] items-start gap-3">
        <TextField
          label="Memory at most"
          error={wrong('memory')}
          value={now.memory}
          placeholder="no limit"
          onChange={(event) => change({ memory: event.target.value })}
        />
        <TextField
          label="Processes at most"
          error={pidsWrong}
          inputMode="numeric"
          value={now.pids}
          placeholder="no limit"
          onChange={(event) => change({ pids: event.target.value })}
        />
        <Field label="Network" error={wrong('network')}>
          {() => (
            <Select
              label="Network"
              className="w-full"
              value={now.network}
              options={networks}
              onChange={(value) => change({ network: value === 'bridge' || value === 'host' ? value : 'none' })}
            />
          )}
        </Field>
      </div>
      {wrong() && (
        <Notice tone="err" role="alert">
          {wrong()}
        </Notice>
      )}
      {result && (
        <p role="status" className={`flex gap-2 text-small ${result.ok ? 'text-ok' : 'text-err'}`}>
          <Icon node={result.ok ? Check : CircleX} />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <span className="font-semibold">{result.ok ? 'Works' : 'Failed'}: </span>
            <Verbatim text={result.message} />
          </span>
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button small busy={busy === 'test'} disabled={busy !== undefined} onClick={() => void test()}>
          Test
        </Button>
        <Button small type="submit" busy={busy === 'save'} disabled={busy !== undefined || !draft || !!pidsFault}>
          Save
        </Button>
      </div>
    </form>
  )
}
