import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import { useId, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { useNow } from '../../state/clock'
import type { FoundProvider, KeyHome, Provider, ProviderInput, TestResult } from '../../transport/answers'
import { Button } from '../../ui/Button'
import { DialogForm, type FormFault } from '../../ui/DialogForm'
import { Field, TextField, TextInput } from '../../ui/Field'
import { counted, elapsed } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { formFault } from './formFault'
import { KeepSelect, useKeyHome } from './KeepSelect'
import { onto } from './onto'

/** Nothing can be sent without one. */
const noModel: FormFault = { field: 'model', text: 'Choose a model. Save and test lists those the server has.' }

interface Props {
  /** The one to change; absent for a new one. */
  provider?: Provider
  /** What was found on this machine, to begin with. */
  found?: FoundProvider
  /** What has to be mended: it has the focus. */
  mend?: 'model' | 'key'
  onDone: () => void
}

const named = ({ name, baseUrl, model }: Provider) => ({ name, baseUrl, model })

/** An OpenAI-compatible server: its address, key and model, and a test of them. */
export function ProviderForm({ provider, found, mend, onDone }: Props) {
  const app = useApp()
  const [id] = useState(provider?.id ?? found?.id ?? `p-${crypto.randomUUID?.() ?? Date.now().toString(36)}`)
  const [name, setName] = useState(provider?.name ?? found?.name ?? '')
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? found?.baseUrl ?? '')
  const [model, setModel] = useState(provider?.model || (found?.models[0] ?? ''))
  const [key, setKey] = useState('')
  const usual = useKeyHome(provider?.keyKept ?? '')
  const [chosenHome, setKeepKey] = useState<KeyHome>()
  const keepKey = chosenHome ?? usual
  const [models, setModels] = useState(provider?.models ?? found?.models ?? [])
  const [busy, setBusy] = useState<'test' | 'save'>()
  const [fault, setFault] = useState<FormFault | undefined>(mend === 'model' ? noModel : undefined)
  const [result, setResult] = useState<TestResult>()
  const [asking, setAsking] = useState<Asked>()
  const [saved, setSaved] = useState(false)
  const [hasKey, setHasKey] = useState(provider?.hasKey ?? false)
  const [keyFault, setKeyFault] = useState<string>()
  const opened = useRef(provider && named(provider))
  const modelList = useId()
  const env = id === 'env'

  const save = async (chosen = model.trim()) => {
    const written = { name: name.trim(), baseUrl: baseUrl.trim(), model: chosen }
    const stored = opened.current && (await app.api.studio()).providers.find((each) => each.id === id)
    const input: ProviderInput = {
      ...(opened.current && stored ? onto(named(stored), opened.current, written) : written),
      keepKey,
      ...(key && { key }),
    }
    const saved = await app.api.saveProvider(id, input)
    opened.current = named(saved)
    setKey('')
    setSaved(true)
    if (key) setHasKey(true)
    setKeyFault(saved.keyFault)
    if (!provider) await app.connected(id)
    return saved
  }
  const run = async (what: 'test' | 'save', work: () => Promise<void>) => {
    setBusy(what)
    setFault(undefined)
    try {
      await work()
    } catch (cause) {
      setFault(formFault(cause, ['baseUrl']))
    } finally {
      setBusy(undefined)
      setAsking(undefined)
      void app.studio.refresh()
    }
  }
  const test = () =>
    run('test', async () => {
      setResult(undefined)
      setAsking({ what: 'Asking the server for its models…', since: Date.now() })
      await save()
      const listed = await app.api.listModels(id)
      if (listed.models.length > 0) setModels(listed.models)
      const chosen = model.trim() || (listed.models[0] ?? '')
      if (chosen !== model.trim()) {
        setModel(chosen)
        await save(chosen)
      }
      if (listed.error) return setResult(listed)
      setAsking({ what: `Asking ${chosen || 'it'} to call a tool, for 30 s at most…`, since: Date.now() })
      setResult(await app.api.testProvider(id, chosen))
    })
  const submit = () => {
    if (!model.trim()) return setFault({ ...noModel })
    return run('save', async () => {
      const { keyFault: told } = await save()
      if (!told) onDone()
    })
  }
  return (
    <DialogForm
      fault={fault}
      outcome={asking ? <Asking asked={asking} /> : result && <Outcome result={result} />}
      onEdit={() => {
        setFault(undefined)
        setResult(undefined) // what is written now was not tested
      }}
      onSubmit={() => void submit()}
      buttons={(form) => (
        <>
          <Button tone="ghost" onClick={onDone}>
            {saved ? 'Close' : 'Cancel'}
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
      {!env && (
        <TextField
          label="Name"
          autoFocus={!mend}
          value={name}
          placeholder="Optional"
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label="Address"
        note={
          env
            ? 'From OPENAI_BASE_URL.'
            : 'Empty is https://api.openai.com/v1. A local Ollama: http://127.0.0.1:11434/v1'
        }
        error={fault?.field === 'baseUrl' ? fault.text : undefined}
        className="font-mono"
        disabled={env}
        value={baseUrl}
        placeholder="https://api.openai.com/v1"
        onChange={(event) => setBaseUrl(event.target.value)}
      />
      {!env && (
        <div className="flex flex-col gap-4">
          <TextField
            label="Key"
            note={
              hasKey ? 'There is a key. Leave this empty to keep it.' : 'Leave it empty for a server that needs none.'
            }
            type="password"
            autoFocus={mend === 'key'}
            className="font-mono"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <KeepSelect label="Keep the key" value={keepKey} onChange={setKeepKey} />
        </div>
      )}
      <Field
        label="Model"
        note={
          models.length > 0
            ? `${counted(models.length, 'model')} known: ${models.slice(0, 4).join(', ')}${models.length > 4 ? '…' : ''}`
            : 'Save and test lists the models the server has.'
        }
        error={fault?.field === 'model' ? fault.text : undefined}
      >
        {(field, note, invalid) => (
          <>
            <TextInput
              id={field}
              aria-describedby={note}
              aria-invalid={invalid}
              autoFocus={env && !mend}
              className="font-mono"
              list={modelList}
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
            <datalist id={modelList}>
              {models.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      {keyFault && <Notice tone="wait">{keyFault}</Notice>}
    </DialogForm>
  )
}

/** What a server is asked, and since when in Unix ms. */
interface Asked {
  what: string
  since: number
}

function Asking({ asked: { what, since } }: { asked: Asked }) {
  const now = useNow(true)
  return (
    <p className="flex gap-2 text-small text-muted">
      <Spinner size={14} className="mt-px" />
      <span role="status">{what}</span>
      <span aria-hidden="true" className="tnum text-faint">
        {elapsed(Math.max(0, now - since))}
      </span>
    </p>
  )
}

function Outcome({ result }: { result: TestResult }) {
  const { word, icon, tone, text } = outcomeOf(result)
  return (
    <p role="status" className={`flex gap-2 text-small [overflow-wrap:anywhere] ${tone}`}>
      <Icon node={icon} />
      <span className="min-w-0">
        <span className="font-semibold">{word}: </span>
        {text}
        {result.error?.code && <code className="ml-2">{result.error.code}</code>}
      </span>
    </p>
  )
}

function outcomeOf({ ok, toolCall, error }: TestResult) {
  if (!ok || error)
    return { word: 'Failed', icon: CircleX, tone: 'text-err', text: error?.message ?? 'the test gave no reason.' }
  return toolCall
    ? { word: 'Works', icon: Check, tone: 'text-ok', text: 'the server answers, and its model called a tool.' }
    : {
        word: 'Warning',
        icon: TriangleAlert,
        tone: 'text-wait',
        text: 'the server answers, but its model called no tool. Agents need a model that does: choose another one.',
      }
}
