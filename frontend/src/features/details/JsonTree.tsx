import clsx from 'clsx'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import { useMemo } from 'react'
import { isExact, isJsonError, type JsonNode, parseJson, stringValue } from '../../protocol/json'
import { counted, size } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { type KeptFlags, useKeptFlags } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { Lines, PlainLines } from './Lines'
import { Tree, type TreeRow } from './tree'

/** A string longer than this is cut until it is opened. */
const longString = 240
/** More levels than this stand in one column. */
const maxIndent = 24

/** JSON text as a tree whose branches are read when they are opened. Every token is drawn as it was written. */
export function JsonTree({ text, full }: { text: string; full?: boolean }) {
  const root = useMemo(() => parseJson(text), [text])
  if (isJsonError(root)) return <PlainLines text={text} full={full} />
  return <JsonValue node={root} full={full} className="px-3 py-2" />
}

/** A JSON value: by itself, or as a tree. */
export function JsonValue({ node, full, className }: { node: JsonNode; full?: boolean; className?: string }) {
  const tree = useMemo(() => new Tree(node), [node])
  const flags = useKeptFlags()
  const rows = useMemo(() => tree.rows((path) => flags.get(`open:${path}`)), [tree, flags])
  useSought((wanted) => {
    for (const path of tree.holding((text) => holds(text, wanted))) flags.set(`open:${path}`, true)
    return true
  })
  const [only] = rows
  if (only?.kind === 'leaf') {
    return (
      <div className={clsx('font-mono text-code', className)}>
        <Leaf row={only} flags={flags} />
      </div>
    )
  }
  return (
    <Lines
      className={className}
      lines={rows}
      full={full}
      many={200}
      textOf={textOf}
      draw={(row) => <Row row={row} tree={tree} flags={flags} />}
    />
  )
}

/** What the line of a row says: of a branch its name alone. */
function textOf({ keyText = '', kind, value }: TreeRow): string {
  return kind === 'leaf' ? `${keyText}: ${value.text}` : keyText
}

interface RowProps {
  row: TreeRow
  tree: Tree
  flags: KeptFlags
}

function Row({ row, tree, flags }: RowProps) {
  const { keyText, mark, depth } = row
  const indent = Math.min(depth, maxIndent) * 16
  return (
    <div className="relative min-w-0" style={{ paddingLeft: indent + 16 }}>
      {indent > 0 && <span aria-hidden="true" className="tree-guides" style={{ width: indent }} />}
      {keyText !== undefined && (
        <>
          <span className="text-stream break-spaces">
            <Verbatim text={keyText} />
          </span>
          <span className="text-faint">: </span>
        </>
      )}
      {mark && <Mark>{mark}</Mark>}
      <Content row={row} tree={tree} flags={flags} />
    </div>
  )
}

function Content({ row, tree, flags }: RowProps) {
  const { value, path, kind } = row
  const [left, right] = value.kind === 'array' ? ['[', ']'] : ['{', '}']
  switch (kind) {
    case 'end':
      return <span className="text-muted">{right}</span>
    case 'open':
    case 'closed': {
      const open = kind === 'open'
      const n = tree.size(path, value)
      const summary = value.kind === 'array' ? counted(n, 'item') : counted(n, 'member')
      return (
        <button
          type="button"
          aria-expanded={open}
          aria-label={`${row.keyText ?? ''} ${summary}`.trim()}
          onClick={() => flags.set(`open:${path}`, !open)}
          className={clsx(
            'relative rounded-control pr-1 text-muted hover:bg-raised',
            row.keyText === undefined && '-ml-4 pl-4',
          )}
        >
          <Icon
            node={open ? ChevronDown : ChevronRight}
            size={12}
            className={clsx(
              'inline text-faint',
              row.keyText === undefined ? 'absolute top-[3px] left-0.5' : 'mr-0.5 -mt-px',
            )}
          />
          {open ? left : `${left} ${summary} ${right}`}
        </button>
      )
    }
    case 'leaf':
      return <Leaf row={row} flags={flags} />
    default:
      kind satisfies never
      return null
  }
}

function Leaf({ row: { value, path }, flags }: { row: TreeRow; flags: KeptFlags }) {
  switch (value.kind) {
    case 'string':
      return <StringValue text={value.text} path={path} flags={flags} />
    case 'number':
      return <NumberValue text={value.text} />
    case 'boolean':
    case 'null':
      return <span className="text-deny">{value.text}</span>
    case 'object':
      return <span className="text-muted">{'{}'}</span>
    case 'array':
      return <span className="text-muted">[]</span>
    default:
      value.kind satisfies never
      return null
  }
}

/** A word that marks something a reader might overlook. */
export function Mark({ children }: { children: string }) {
  return (
    <span className="mr-2 inline-block rounded-[3px] border border-wait px-1 text-[0.6875rem] leading-[0.875rem] whitespace-nowrap text-wait">
      {children}
    </span>
  )
}

/** A number as it was written, marked when a browser could not hold it. */
export function NumberValue({ text }: { text: string }) {
  if (isExact(text)) return <span className="text-accent [overflow-wrap:anywhere]">{text}</span>
  return (
    <>
      <span
        className="mr-2 text-accent [overflow-wrap:anywhere]"
        title="Kept as written: JavaScript would change this number"
      >
        {text}
      </span>
      <Mark>big number</Mark>
    </>
  )
}

function StringValue({ text, path, flags }: { text: string; path: string; flags: KeptFlags }) {
  const open = flags.get(`text:${path}`) ?? false
  const lines = text.includes('\\n')
  const set = (next: boolean) => flags.set(`text:${path}`, next)
  useSought((wanted) => {
    const hidden = !open && text.slice(0, longString).search(wanted) < 0 && holds(text, wanted)
    if (hidden && (lines || text.length > longString)) set(true)
    return true
  })
  if (!lines && text.length <= longString) {
    return (
      <span className="break-spaces">
        <Verbatim text={text} />
      </span>
    )
  }
  if (open) {
    return (
      <>
        <button type="button" className="text-muted hover:text-text" onClick={() => set(false)}>
          as written
        </button>
        <div className="overflow-hidden rounded-control bg-bg">
          <PlainLines text={stringValue(text)} full className="py-1" />
        </div>
      </>
    )
  }
  return (
    <span className="break-spaces">
      <Verbatim text={text.slice(0, longString)} />
      <button type="button" className="ml-1 text-muted hover:text-text" onClick={() => set(true)}>
        {text.length > longString ? `… as text (${size(text.length)})` : 'as text'}
      </button>
    </span>
  )
}
