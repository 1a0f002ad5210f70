import { useMemo } from 'react'
import { languageName, languageOfPath } from '../../highlight/languages'
import { type Block, detailsBlocks } from '../../protocol/details'
import { stringValue } from '../../protocol/json'
import { Keep } from '../../ui/kept'
import { BlockFrame } from './BlockFrame'
import { Code } from './CodeBlock'
import { DiffBlock } from './DiffBlock'
import { FileLink, placeOf } from './FileLink'
import { ImageBlock } from './ImageBlock'
import { JsonTree } from './JsonTree'
import { PlainLines } from './Lines'
import { MarkdownBlock } from './MarkdownBlock'
import { Progress } from './Progress'
import { imagesIn, partsText } from './shown'
import { TableBlock } from './TableBlock'
import { Terminal } from './TerminalBlock'

/** A call's details, given as JSON text: each block by its kind. */
export function Blocks({ detailsText, tail }: { detailsText: string; tail?: boolean }) {
  const blocks = useMemo(() => withFiles(detailsBlocks(detailsText)), [detailsText])
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map(({ block, file }, index) => (
        <Keep key={index} name={String(index)}>
          <BlockView block={block} file={file} tail={tail} />
        </Keep>
      ))}
    </div>
  )
}

/** A JSON value that is no details: the images it shows, then a text as text, anything else as a tree. */
export function ResultBlock({ json, title }: { json: string; title: string }) {
  const images = useMemo(() => imagesIn(json), [json])
  if (images.length === 0) return <ValueBlock json={json} title={title} />
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {images.map((image, index) => (
        <Keep key={index} name={`image-${index}`}>
          <ImageBlock {...image} />
        </Keep>
      ))}
      <ValueBlock json={json} title={title} />
    </div>
  )
}

function ValueBlock({ json, title }: { json: string; title: string }) {
  const text = useMemo(() => (json.trimStart().startsWith('"') ? stringValue(json.trim()) : partsText(json)), [json])
  const name = title.toLowerCase()
  return (
    <BlockFrame
      title={title}
      copyText={text ?? json}
      file={{ name: text === undefined ? `${name}.json` : `${name}.txt` }}
      raw={json}
    >
      {(full) =>
        text === undefined ? <JsonTree text={json} full={full} /> : <PlainLines text={text || '(empty)'} full={full} />
      }
    </BlockFrame>
  )
}

interface Placed {
  block: Block
  /** The file that code is from. */
  file?: FileBlock
}

type FileBlock = Extract<Block, { kind: 'file' }>

/** Blocks in order; a file that stands right beside code is its heading, not a block of its own. */
function withFiles(blocks: readonly Block[]): Placed[] {
  const out: Placed[] = []
  for (let i = 0; i < blocks.length; i++) {
    const [block, next] = [blocks[i], blocks[i + 1]]
    if (!block) continue
    if (block.kind === 'file' && next?.kind === 'code') {
      out.push({ block: next, file: block })
      i++
    } else if (block.kind === 'code' && next?.kind === 'file' && blocks[i + 2]?.kind !== 'code') {
      out.push({ block, file: next })
      i++
    } else {
      out.push({ block })
    }
  }
  return out
}

function BlockView({ block, file, tail }: Placed & { tail?: boolean }) {
  const { raw } = block
  switch (block.kind) {
    case 'diff':
      return <DiffBlock text={block.text} raw={raw} />
    case 'terminal':
      return (
        <BlockFrame title="Terminal" copyText={block.text} file={{ name: 'terminal.txt' }} raw={raw}>
          {(full) => <Terminal text={block.text} full={full} tail={tail} />}
        </BlockFrame>
      )
    case 'text':
      return (
        <BlockFrame title="Text" copyText={block.text} file={{ name: 'text.txt' }} raw={raw}>
          {(full) => <PlainLines text={block.text || '(empty)'} full={full} tail={tail} />}
        </BlockFrame>
      )
    case 'markdown':
      return <MarkdownBlock text={block.text} raw={raw} />
    case 'code':
      return <CodeBlock {...block} file={file} />
    case 'table':
      return <TableBlock columns={block.columns} rows={block.rows} raw={raw} />
    case 'image':
      return <ImageBlock src={block.src} mediaType={block.mediaType} alt={block.alt} raw={raw} />
    case 'file':
      return (
        <BlockFrame title="File" copyText={placeOf(block)} file={{ name: 'file.txt' }} raw={raw}>
          {() => (
            <div className="px-3 py-2 font-mono text-code break-spaces">
              <FileLink path={block.path} line={block.line} />
            </div>
          )}
        </BlockFrame>
      )
    case 'progress':
      return (
        <div className="rounded-block border border-border bg-surface">
          <Progress done={block.done} total={block.total} unit={block.unit} />
        </div>
      )
    case 'json':
      return (
        <BlockFrame title="JSON" copyText={raw} file={{ name: 'details.json' }} raw={raw}>
          {(full) => <JsonTree text={raw} full={full} />}
        </BlockFrame>
      )
    default:
      block satisfies never
      return null
  }
}

function CodeBlock({ text, lang, raw, file }: { text: string; lang?: string; raw: string; file?: FileBlock }) {
  const language = languageName(lang) ?? (file && languageOfPath(file.path))
  const name = file?.path.split(/[/\\]/).at(-1) || `code.${languageName(lang) ?? 'txt'}`
  return (
    <BlockFrame
      title={file ? placeOf(file) : lang ? `Code, ${lang}` : 'Code'}
      heading={file && <FileLink path={file.path} line={file.line} />}
      copyText={text}
      file={{ name }}
      raw={raw}
    >
      {(full) => <Code text={text || '(empty)'} language={text ? language : undefined} full={full} />}
    </BlockFrame>
  )
}
