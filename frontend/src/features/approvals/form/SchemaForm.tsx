import Form from '@rjsf/core/lib/components/Form.js'
import { useCallback, useEffect, useEffectEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { parseJson, pretty } from '../../../protocol/json'
import { DraftField } from './DraftField'
import { begun, type Draft, draftOf, toText } from './draft'
import { draftSchema, formless } from './draftSchema'
import { type Chosen, errorSchema, schemaFaults } from './faults'
import { type Fault, missing } from './serverFaults'
import { BranchSelect, type FormContext, templates } from './templates'
import { draftValidator } from './validator'

interface Props {
  /** The JSON Schema of the arguments. */
  parameters: unknown
  /** It as it is written: what it names stands in the form so. */
  parametersText?: string
  /** What the form begins with; later changes of it are not taken. */
  initial: string
  /** What the server said is wrong, until something is changed. */
  refused: Fault[]
  /** A member that is needed and was not given yet is no fault at its field: the caller says what is missing. */
  calm?: boolean
  /** It takes the focus once it is there. */
  focus?: boolean
  /** Hears that what the form begins with does not fit the schema, or why there can be no form. */
  onUnfit?: (why?: string) => void
  /** Takes the text of the arguments, which is no JSON while a field is half typed. */
  onChange: (text: string) => void
  /** Takes what the schema has against them, of a union the branch that is shown: at first, and when it changes. */
  onFaults: (faults: Fault[]) => void
}

/** Nothing is put in that was not there: a default is the tool's own, and stays with it. */
const noDefaults = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
} as const

const fieldsOfForm = { StringField: DraftField }
const widgets = { SelectWidget: BranchSelect }

/** A form made from the schema of a tool's arguments. */
export default function SchemaForm({
  parameters,
  parametersText,
  initial,
  refused,
  calm,
  focus,
  onUnfit,
  onChange,
  onFaults,
}: Props) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [start] = useState(() => {
    const message = formless(parameters)
    return message === undefined ? draftOf(initial, draftSchema(parameters, parametersText)) : { message }
  })
  const [before] = useState(() => {
    const root = parseJson(initial.trim() || '{}')
    return 'message' in root ? undefined : root
  })
  const [draft, setDraft] = useState<Draft>('draft' in start ? start.draft : {})
  const [chosen, setChosen] = useState<readonly Chosen[]>([])
  const onChosen = useCallback((path: string[], branch: unknown) => {
    const choice = { path, branch }
    setChosen((others) => [...others, choice])
    return () => setChosen((others) => others.filter((each) => each !== choice))
  }, [])
  const context = useMemo<FormContext>(() => ({ onChosen }), [onChosen])
  const faults = useMemo(
    () => schemaFaults(toText(draft, before), parameters, chosen),
    [draft, before, parameters, chosen],
  )
  const tell = useEffectEvent((found: Fault[]) => onFaults(found))
  useEffect(() => tell(faults), [faults])
  const errors = useMemo(() => {
    const said = calm ? faults.filter(({ message }) => message !== missing) : faults
    return errorSchema(faults.length > 0 ? said : refused)
  }, [faults, refused, calm])
  const begins = useEffectEvent(() => {
    if ('message' in start) onUnfit?.(start.message)
    else if (schemaFaults(initial, parameters).length > 0) onUnfit?.()
    else if (focus) box.current?.querySelector<HTMLElement>('input, textarea, button')?.focus()
  })
  useLayoutEffect(() => begins(), [])
  if ('message' in start) return <p className="text-small text-wait">{start.message} Edit it as JSON.</p>
  if (Object.keys(start.schema.properties ?? {}).length === 0) {
    return <p className="text-small text-muted">It takes no arguments.</p>
  }
  const change = (next: unknown) => {
    const whole = begun(next ?? {}, start.schema, start.schema)
    setDraft(whole)
    onChange(pretty(toText(whole, before)))
  }
  return (
    <div ref={box}>
      <Form
        tagName="div"
        idPrefix={id}
        schema={start.schema}
        uiSchema={{ 'ui:autofocus': false }}
        formData={draft}
        formContext={context}
        validator={draftValidator}
        experimental_defaultFormStateBehavior={noDefaults}
        extraErrors={errors}
        showErrorList={false}
        templates={templates}
        fields={fieldsOfForm}
        widgets={widgets}
        onChange={({ formData }) => change(formData)}
      >
        {/* Without a child the form would draw a button of its own. */}
        <span />
      </Form>
    </div>
  )
}
