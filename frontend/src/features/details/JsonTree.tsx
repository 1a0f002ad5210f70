import clsx from 'clsx'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import { useMemo, useState } from 'react'
import { isExact, isJsonError, items, type JsonNode, members, parseJson, stringValue } from '../../protocol/json'
import { count, counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Keep, useKept } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { PlainLines } from './Lines'

/** So many children are drawn at once; the others when asked. */
const page = 100
/** A string longer than this is cut until it is opened. */
const longString = 240

/** JSON text as a tree whose branches are read when they are opened. Every token is drawn as it was written. */
export function JsonTree({ text, full }: { text: string; full?: boolean }) {
  const root = useMemo(() => parseJson(text), [text])
  if (isJsonError(root)) return <PlainLines text={text} full={full} />
  return (
    <div className="overflow-x-auto px-3 py-2 font-mono text-code">
      <Value node={root} depth={0} full={full} />
    </div>
  )
}

/** A JSON value in a tree. */
export function Value({ node, depth, full }: { node: JsonNode; depth: number; full?: boolean }) {
  switch (node.kind) {
    case 'object':
    case 'array':
      return <Branch node={node} depth={depth} full={full} />
    case 'string':
      return <StringValue text={node.text} />
    case 'number':
      return <NumberValue text={node.text} />
    case 'boolean':
    case 'null':
      return <span className="text-deny">{node.text}</span>
    default:
      node.kind satisfies never
      return null
  }
}

interface Child {
  key?: string
  mark?: string
  value: JsonNode
}

function children(node: JsonNode): Child[] {
  if (node.kind === 'array') return items(node).map((value) => ({ value }))
  return members(node).map(({ keyText, value, duplicate, caseVariant }) => ({
    key: keyText,
    mark: duplicate ? 'duplicate key' : caseVariant ? 'differs only in case' : undefined,
    value,
  }))
}

function Branch({ node, depth, full }: { node: JsonNode; depth: number; full?: boolean }) {
  const all = useMemo(() => children(node), [node])
  const [open, setOpen] = useKept('open', depth === 0 || (depth < 3 && all.length <= 8))
  const [shown, setShown] = useState(full ? page * 5 : page)
  const [left, right] = node.kind === 'array' ? ['[', ']'] : ['{', '}']
  if (all.length === 0) return <span className="text-muted">{left + right}</span>
  const summary = node.kind === 'array' ? counted(all.length, 'item') : counted(all.length, 'member')
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inline-flex items-center gap-1 rounded-control pr-1 align-top text-muted hover:bg-raised"
      >
        <Icon node={open ? ChevronDown : ChevronRight} size={12} />
        {open ? left : `${left} ${summary} ${right}`}
      </button>
      {open && (
        <div className="border-l border-border pl-4 ml-1.5">
          {all.slice(0, shown).map((child, index) => (
            <div key={index} className="min-w-0">
              {child.key !== undefined && (
                <>
                  <span className="text-stream break-spaces">
                    <Verbatim text={child.key} />
                  </span>
                  <span className="text-faint">: </span>
                  {child.mark && <Mark>{child.mark}</Mark>}
                </>
              )}
              <Keep name={String(index)}>
                <Value node={child.value} depth={depth + 1} />
              </Keep>
            </div>
          ))}
          {shown < all.length && (
            <button type="button" className="text-muted hover:text-text" onClick={() => setShown(shown + page * 5)}>
              Show more ({count(all.length - shown)} left)
            </button>
          )}
        </div>
      )}
      {open && <span className="text-muted">{right}</span>}
    </>
  )
}

/** A word that marks something a reader might overlook. */
export function Mark({ children }: { children: string }) {
  return <span className="mr-2 rounded-[3px] border border-wait px-1 text-[11px] text-wait">{children}</span>
}

/** A number as it was written, marked when a browser could not hold it. */
export function NumberValue({ text }: { text: string }) {
  const exact = isExact(text)
  return (
    <span
      className={clsx(
        'text-accent [overflow-wrap:anywhere]',
        !exact && 'underline decoration-wait decoration-dotted underline-offset-2',
      )}
      title={exact ? undefined : 'Kept as written: JavaScript would change this number'}
    >
      {text}
    </span>
  )
}

function StringValue({ text }: { text: string }) {
  const [open, setOpen] = useKept('text', false)
  const lines = text.includes('\\n')
  if (!lines && text.length <= longString) {
    return (
      <span className="text-text break-spaces">
        <Verbatim text={text} />
      </span>
    )
  }
  if (open) {
    const value = stringValue(text)
    return (
      <>
        <button type="button" className="text-muted hover:text-text" onClick={() => setOpen(false)}>
          as written
        </button>
        <pre className="max-h-96 overflow-auto rounded-control bg-bg px-2 py-1 break-spaces">
          <Verbatim text={value} />
        </pre>
      </>
    )
  }
  return (
    <span className="text-text break-spaces">
      <Verbatim text={text.slice(0, longString)} />
      <button type="button" className="ml-1 text-muted hover:text-text" onClick={() => setOpen(true)}>
        {text.length > longString ? `… as text (${counted(text.length, 'character')})` : 'as text'}
      </button>
    </span>
  )
}
