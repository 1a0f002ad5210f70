import { useMemo } from 'react'
import { Markdown } from '../../markdown/Markdown'
import { type Block, detailsBlocks } from '../../protocol/details'
import { stringValue } from '../../protocol/json'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from './BlockFrame'
import { DiffBlock } from './DiffBlock'
import { Image } from './ImageBlock'
import { JsonTree } from './JsonTree'
import { PlainLines } from './Lines'
import { Progress } from './Progress'
import { Table, tsv } from './TableBlock'
import { Terminal } from './TerminalBlock'

/** A call's details, given as JSON text: each block by its kind. */
export function Blocks({ detailsText, tail }: { detailsText: string; tail?: boolean }) {
  const blocks = useMemo(() => detailsBlocks(detailsText), [detailsText])
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map((block, index) => (
        <Keep key={index} name={String(index)}>
          <BlockView block={block} tail={tail} />
        </Keep>
      ))}
    </div>
  )
}

/** A JSON value that is no details: a text as text, anything else as a tree. */
export function ResultBlock({ json, title }: { json: string; title: string }) {
  const text = useMemo(() => (json.trimStart().startsWith('"') ? stringValue(json.trim()) : undefined), [json])
  return (
    <BlockFrame title={title} copyText={text ?? json} raw={json}>
      {(full) =>
        text === undefined ? <JsonTree text={json} full={full} /> : <PlainLines text={text || '(empty)'} full={full} />
      }
    </BlockFrame>
  )
}

function BlockView({ block, tail }: { block: Block; tail?: boolean }) {
  const { raw } = block
  switch (block.kind) {
    case 'diff':
      return <DiffBlock text={block.text} raw={raw} />
    case 'terminal':
      return (
        <BlockFrame title="Terminal" copyText={block.text} raw={raw}>
          {(full) => <Terminal text={block.text} full={full} tail={tail} />}
        </BlockFrame>
      )
    case 'text':
      return (
        <BlockFrame title="Text" copyText={block.text} raw={raw}>
          {(full) => <PlainLines text={block.text} full={full} tail={tail} />}
        </BlockFrame>
      )
    case 'markdown':
      return (
        <BlockFrame title="Markdown" copyText={block.text} raw={raw}>
          {() => (
            <div className="px-3 py-2">
              <Markdown text={block.text} />
            </div>
          )}
        </BlockFrame>
      )
    case 'code':
      return (
        <BlockFrame title={block.lang ? `Code, ${block.lang}` : 'Code'} copyText={block.text} raw={raw}>
          {(full) => <PlainLines text={block.text} full={full} />}
        </BlockFrame>
      )
    case 'table':
      return (
        <BlockFrame title="Table" copyText={tsv(block.columns, block.rows)} raw={raw}>
          {(full) => <Table columns={block.columns} rows={block.rows} full={full} />}
        </BlockFrame>
      )
    case 'image':
      return (
        <BlockFrame
          title="Image"
          heading={block.alt ? <Verbatim text={block.alt} /> : undefined}
          copyText={block.src}
          raw={raw}
        >
          {(full) => <Image src={block.src} alt={block.alt} full={full} />}
        </BlockFrame>
      )
    case 'file': {
      const place = block.line === undefined ? block.path : `${block.path}:${block.line}`
      return (
        <BlockFrame title="File" copyText={place} raw={raw}>
          {() => (
            <p className="px-3 py-2 font-mono text-code break-spaces">
              <Verbatim text={place} />
            </p>
          )}
        </BlockFrame>
      )
    }
    case 'progress':
      return (
        <div className="rounded-block border border-border bg-surface">
          <Progress done={block.done} total={block.total} unit={block.unit} />
        </div>
      )
    case 'json':
      return (
        <BlockFrame title="JSON" copyText={raw} raw={raw}>
          {(full) => <JsonTree text={raw} full={full} />}
        </BlockFrame>
      )
    default:
      block satisfies never
      return null
  }
}
