import Folder from 'lucide/dist/esm/icons/folder.mjs'
import Play from 'lucide/dist/esm/icons/play.mjs'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { isJsonError, parseJson, pretty } from '../../protocol/json'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { recall, remember } from '../../state/remembered'
import type { RunView } from '../../state/threadStore'
import { useCommand } from '../../state/useCommand'
import { messageOf } from '../../transport/apiError'
import type { SourceTool, ToolSource } from '../../transport/tools'
import { isLost } from '../../transport/transport'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Tabs } from '../../ui/Tabs'
import { Verbatim } from '../../ui/Verbatim'
import { formless, takesNothing } from '../approvals/form/draftSchema'
import { schemaFaults } from '../approvals/form/faults'
import SchemaForm from '../approvals/form/SchemaForm'
import { type Fault, missing, serverFaults } from '../approvals/form/serverFaults'
import { JsonEditor, notJson } from '../approvals/JsonEditor'
import { useFolderPicker } from '../setup/useFolderPicker'

interface Props {
  source: ToolSource
  tool: SourceTool
  /** The try that has not ended. */
  live?: RunView
  /** Arguments to begin with, each time it is another object. */
  again?: { text: string }
  onStarted: () => Promise<void>
}

type Mode = 'form' | 'json'

/** The arguments of a call, in a form or as JSON, and the button that makes it. The text is what is kept, and what is sent. */
export function TryForm({ source, tool, live, again, onStarted }: Props) {
  const app = useApp()
  const draft = app.drafts.of(`try.${tool.threadId}`)
  const text = useCell(draft) || '{}'
  const [wanted, setWanted] = useState<Mode>(() => {
    if (tool.fault) return 'json'
    return recall('try') === 'json' && !takesNothing(tool.parameters) ? 'json' : 'form'
  })
  const noForm = useMemo(() => formless(tool.parameters), [tool])
  const mode = noForm === undefined ? wanted : 'json'
  const [version, setVersion] = useState(0)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<{ text: string; message: string }>()
  const [picker, folder, choose] = useTryFolder(source)
  const connection = useCell(app.connection)
  useEffect(() => {
    if (!again) return
    draft.set(again.text)
    setVersion((before) => before + 1)
  }, [again, draft])

  const fault = useMemo(() => notAnObject(text), [text])
  const against = useMemo(() => (tool.fault ? [] : schemaFaults(text, tool.parameters)), [text, tool])
  const [ofForm, setOfForm] = useState<Fault[]>(against)
  const faults = mode === 'form' ? ofForm : against
  const refused = refusal?.text === text ? refusal.message : undefined
  const named = (refused && serverFaults(refused)) || []
  const needed = faults.filter(({ message }) => message === missing)
  const wrong = faults.filter(({ message }) => message !== missing)
  const because = isLost(connection)
    ? 'The connection is lost.'
    : live
      ? live.status === 'paused'
        ? 'The last try waits for your decision.'
        : 'The last try still runs.'
      : source.folder && !folder
        ? 'Choose the folder it works in.'
        : undefined
  const off = busy || because !== undefined || fault !== undefined || (mode === 'form' && faults.length > 0)

  const set = (next: string) => draft.set(next)
  const show = (next: Mode) => {
    if (next === 'json') set(text === '{}' ? text : pretty(text))
    setWanted(next)
    setVersion((before) => before + 1)
    remember('try', next)
  }
  const run = async () => {
    if (off) return
    setBusy(true)
    setRefusal(undefined)
    try {
      await app.api.tryTool(source.id, tool.name, text, folder)
      await onStarted()
    } catch (cause) {
      setRefusal({ text, message: messageOf(cause) })
    } finally {
      setBusy(false)
    }
  }
  useCommand('run-tool', () => void run(), { off })
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.stopPropagation() // in the editor it would make a new line
    void run()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is
    <div role="group" aria-label="Try it" className="flex flex-col gap-3" onKeyDownCapture={press}>
      {source.folder && (
        <p className="flex min-w-0 items-center gap-2 text-small text-muted">
          <Icon node={Folder} size={14} />
          <span className="min-w-0 truncate" title={folder}>
            {folder ? <Verbatim text={folder} /> : 'No folder'}
          </span>
          <Button small onClick={() => void choose()}>
            {folder ? 'Change folder…' : 'Choose folder…'}
          </Button>
        </p>
      )}
      <div>
        <Tabs
          label="Arguments as"
          value={mode}
          onChange={show}
          tabs={[
            { value: 'form', label: 'Form', disabledBecause: noForm ?? (mode === 'json' ? fault : undefined) },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {noForm && !tool.fault && <p className="text-small text-muted">{noForm} Write the arguments as JSON.</p>}
      {mode === 'form' ? (
        <SchemaForm
          key={version}
          parameters={tool.parameters}
          parametersText={tool.parametersText}
          initial={text}
          refused={named}
          calm
          onChange={set}
          onFaults={setOfForm}
        />
      ) : (
        <JsonEditor key={version} label="Arguments as JSON" initial={text} onChange={set} />
      )}
      {mode === 'json' && <Faults faults={[...needed, ...wrong]} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          tone="primary"
          icon={Play}
          shortcut="Ctrl ↵"
          busy={busy}
          disabled={off}
          title={because}
          onClick={() => void run()}
        >
          Run
        </Button>
        <p className="min-w-0 flex-1 text-small text-muted [overflow-wrap:anywhere]">
          {fault ? (
            <span className="text-err">{mode === 'form' ? 'What is marked is not whole yet.' : fault}</span>
          ) : (
            (because ?? (mode === 'form' && hint(needed, wrong)))
          )}
        </p>
      </div>
      {refused !== undefined && (
        <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
          Not run: {refused}
        </p>
      )}
      {picker}
    </div>
  )
}

/** What a form still lacks, in words. */
function hint(needed: readonly Fault[], wrong: readonly Fault[]): string {
  if (wrong.length > 0) return wrong.length === 1 ? 'One field is wrong.' : `${wrong.length} fields are wrong.`
  return needed.length > 0 ? `Still needed: ${needed.map(({ path }) => path.join('/')).join(', ')}` : ''
}

/** What the schema says against a text that is sent all the same when it is wanted: the tool has the last word. */
function Faults({ faults }: { faults: readonly Fault[] }) {
  if (faults.length === 0) return null
  return (
    <ul aria-label="Against the schema" className="flex flex-col text-small text-wait">
      {faults.map(({ path, message }, index) => (
        <li key={index} className="[overflow-wrap:anywhere]">
          <code className="text-code">/{path.join('/')}</code> {message}
        </li>
      ))}
    </ul>
  )
}

/** Why a text can be no arguments; undefined when it can. */
function notAnObject(text: string): string | undefined {
  const fault = notJson(text)
  if (fault) return fault
  const root = parseJson(text)
  return isJsonError(root) || root.kind === 'object' ? undefined : 'Arguments are an object: { … }'
}

/** Where a tool that works in a folder is tried: as the studio was started, as it is set, or where it was tried last. */
function useTryFolder(source: ToolSource): [React.ReactNode, string, () => Promise<void>] {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const chosen = app.drafts.of('try.folder')
  const folder = useCell(chosen) || state?.folder || state?.settings.folder || ''
  const [picker, pick] = useFolderPicker()
  const choose = async () => {
    const next = await pick(folder)
    if (next) chosen.set(next)
  }
  return [picker, source.folder ? folder : '', choose]
}
