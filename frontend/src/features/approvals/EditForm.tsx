import { Suspense, useEffect, useState } from 'react'
import { pretty } from '../../protocol/json'
import { useApp } from '../../state/app'
import { recall, remember } from '../../state/remembered'
import { messageOf } from '../../transport/apiError'
import type { ToolInfo } from '../../transport/rules'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { lazily } from '../../ui/lazily'
import { Tabs } from '../../ui/Tabs'
import { serverFaults } from './form/serverFaults'
import { JsonEditor, notJson } from './JsonEditor'
import { SubmitRow } from './SubmitRow'

const SchemaForm = lazily(async () => (await import('./form/SchemaForm')).default)

interface Props {
  toolName: string
  /** Whose tool it is. */
  agentName: string
  initial: string
  /** A secret is masked in what it begins with. */
  masked?: boolean
  busy: boolean
  error?: string
  disabledBecause?: string
  /** Takes the text; changed is false when it is what the form began with. */
  onSubmit: (text: string, changed: boolean) => void
  onCancel: () => void
}

/** What stands in the place of a secret that is not shown. */
export const mask = '[redacted]'

/**
 * The arguments of a call, edited in a form made from the tool's schema or as JSON: as was chosen last, at first in the form. What
 * does not fit the form begins as JSON. The text is what is kept.
 */
export function EditForm({ toolName, agentName, initial, masked = false, error, onSubmit, ...row }: Props) {
  const [begun] = useState(() => pretty(initial))
  const [text, setText] = useState(begun)
  const [faults, setFaults] = useState(0)
  const [mode, setMode] = useState<Mode>(() => (recall('edit') === 'json' || notJson(initial) ? 'json' : 'form'))
  /** The mode is a choice made here, which stays whatever it shows. */
  const [chosen, setChosen] = useState(false)
  /** Why there is no form of these arguments. */
  const [formless, setFormless] = useState<string>()
  const [tool, why] = useTool(toolName, agentName)
  // What was refused is said until it is changed.
  const [refusedText, setRefusedText] = useState<string>()
  const refusal = error && refusedText === text ? error : undefined
  const refused = (refusal && serverFaults(refusal)) || []
  const asForm = mode === 'form' && (tool !== undefined || why === loading)
  const fault = notJson(text)
  const stillMasked = masked && text !== begun && text.includes(mask)
  const choose = (next: Mode) => {
    setMode(next)
    setChosen(true)
    setFaults(0)
    remember('edit', next)
  }
  return (
    <div className="flex flex-col gap-2">
      <Tabs
        label="Edit as"
        value={asForm ? 'form' : 'json'}
        onChange={choose}
        tabs={[
          { value: 'json', label: 'JSON' },
          { value: 'form', label: 'Form', disabledBecause: why ?? formless ?? (mode === 'json' ? fault : undefined) },
        ]}
      />
      {asForm ? (
        <ErrorBoundary what="The form">
          <Suspense fallback={<Opening />}>
            {tool ? (
              <SchemaForm
                parameters={tool.parameters}
                parametersText={tool.parametersText}
                initial={text}
                refused={refused}
                focus={!chosen}
                onUnfit={
                  chosen
                    ? undefined
                    : (reason) => {
                        setMode('json')
                        setFormless(reason)
                      }
                }
                onChange={setText}
                onFaults={(found) => setFaults(found.length)}
              />
            ) : (
              <Opening />
            )}
          </Suspense>
        </ErrorBoundary>
      ) : (
        <>
          {formless && <p className="text-small text-muted">{formless}</p>}
          <JsonEditor label="Arguments as JSON" initial={text} onChange={setText} />
        </>
      )}
      {masked && (
        <p className={stillMasked ? 'text-small text-err' : 'text-small text-muted'}>
          Once edited, the call runs with what is written here: write the secret itself in the place of{' '}
          <code>{mask}</code>, or go back and approve it as it is.
        </p>
      )}
      <SubmitRow
        {...row}
        action="Approve edited"
        disabled={fault !== undefined || stillMasked || (asForm && faults > 0)}
        error={asForm && refused.length > 0 ? 'The tool refuses these arguments; see the fields.' : (fault ?? refusal)}
        onSubmit={() => {
          setRefusedText(text)
          onSubmit(text, text !== begun)
        }}
      />
    </div>
  )
}

function Opening() {
  return <p className="text-small text-faint">Opening the form…</p>
}

type Mode = 'json' | 'form'

const loading = 'The tool’s schema is not there yet.'

/** The tool, or why its schema is not known. */
function useTool(name: string, agentName: string): [ToolInfo | undefined, string | undefined] {
  const app = useApp()
  const [tool, setTool] = useState<ToolInfo>()
  const [why, setWhy] = useState<string | undefined>(loading)
  useEffect(() => {
    let wanted = true
    app.tool(name, agentName).then(
      (found) => {
        if (!wanted) return
        setTool(found)
        setWhy(found ? undefined : 'No tool of this name tells its schema.')
      },
      (cause: unknown) => wanted && setWhy(messageOf(cause)),
    )
    return () => {
      wanted = false
    }
  }, [app, name, agentName])
  return [tool, why]
}
