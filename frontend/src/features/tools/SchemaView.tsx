import { useMemo } from 'react'
import { pretty } from '../../protocol/json'
import type { SourceTool } from '../../transport/tools'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { takesNothing } from '../approvals/form/draftSchema'
import { BlockFrame } from '../details/BlockFrame'
import { JsonTree } from '../details/JsonTree'
import { type SchemaRow, schemaRows } from './schemaRows'

/** What a tool takes: in words, and as the JSON Schema a model is sent. */
export function SchemaView({ tool }: { tool: SourceTool }) {
  const { parametersText, outputText } = tool
  return (
    <div className="flex flex-col gap-4">
      {parametersText === undefined ? (
        <p className="text-small text-muted">Nothing is said of its arguments.</p>
      ) : (
        <>
          {takesNothing(tool.parameters) ? (
            <p className="text-small text-muted">It takes no arguments.</p>
          ) : (
            <Rows text={parametersText} />
          )}
          <Keep name="parameters">
            <Raw title="JSON Schema of the arguments" text={parametersText} name="arguments.schema.json" />
          </Keep>
        </>
      )}
      {outputText !== undefined && (
        <Keep name="output">
          <Raw title="JSON Schema of the result" text={outputText} name="result.schema.json" />
        </Keep>
      )}
    </div>
  )
}

function Raw({ title, text, name }: { title: string; text: string; name: string }) {
  const laidOut = useMemo(() => pretty(text), [text])
  return (
    <BlockFrame title={title} copyText={laidOut} file={{ name }} raw={laidOut}>
      {(full) => <JsonTree text={text} full={full} />}
    </BlockFrame>
  )
}

function Rows({ text }: { text: string }) {
  const rows = useMemo(() => schemaRows(text), [text])
  if (rows.length === 0) return <p className="text-small text-muted">Its arguments have no names of their own.</p>
  return (
    <dl aria-label="Arguments" className="flex flex-col rounded-block border border-border">
      {rows.map((row) => (
        <div
          key={row.key}
          className="flex flex-col gap-0.5 border-b border-border px-3 py-2 last:border-b-0"
          style={{ paddingLeft: 12 + row.depth * 20 }}
        >
          <dt className="flex flex-wrap items-baseline gap-x-3 [overflow-wrap:anywhere]">
            <code className="text-code font-semibold">
              <Verbatim text={row.name} />
            </code>
            <span className="text-small text-muted">
              <Verbatim text={row.type} />
            </span>
            {row.required && <span className="text-small text-wait">needed</span>}
          </dt>
          <Words row={row} />
        </div>
      ))}
    </dl>
  )
}

function Words({ row: { description, limits, standard } }: { row: SchemaRow }) {
  return (
    <dd className="flex flex-col text-small text-muted [overflow-wrap:anywhere] empty:hidden">
      {description && (
        <span>
          <Verbatim text={description} />
        </span>
      )}
      {(limits || standard !== undefined) && (
        <span className="font-mono text-code text-faint">
          <Verbatim text={[limits, standard !== undefined && `default ${standard}`].filter(Boolean).join('; ')} />
        </span>
      )}
    </dd>
  )
}
