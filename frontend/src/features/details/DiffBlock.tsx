import clsx from 'clsx'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { counted } from '../../ui/format'
import { Keep, useKeptFlags } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { BlockFrame } from './BlockFrame'
import { type DiffLine, type FileDiff, readDiff } from './diff'
import { type DiffRow, splitRows, unifiedRows } from './diffRows'
import { FileLink } from './FileLink'
import { itself, Lines, PlainLines } from './Lines'

/** From this width on, in px, the two sides stand beside each other. */
const splitWidth = 1000

/** A unified diff: one frame for each file. */
export function DiffBlock({ text, raw }: { text: string; raw: string }) {
  const files = useMemo(() => readDiff(text), [text])
  if (files.length === 0) {
    return (
      <BlockFrame title="Diff" copyText={text} file={{ name: 'changes.diff' }} raw={raw}>
        {(full) => <PlainLines text={text || 'No changes.'} full={full} />}
      </BlockFrame>
    )
  }
  return files.map((file, index) => (
    <Keep key={index} name={String(index)}>
      <BlockFrame
        title={file.path || 'Diff'}
        heading={file.path ? <FileLink path={file.path} /> : undefined}
        meta={<Counts file={file} />}
        copyText={text}
        file={{ name: 'changes.diff' }}
        raw={raw}
      >
        {(full) => <FileView file={file} full={full} />}
      </BlockFrame>
    </Keep>
  ))
}

function Counts({ file }: { file: FileDiff }) {
  return (
    <>
      <span className="text-ok">+{file.added}</span> <span className="text-err">−{file.removed}</span>
    </>
  )
}

function FileView({ file, full }: { file: FileDiff; full: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const [split, setSplit] = useState(false)
  const flags = useKeptFlags()
  useLayoutEffect(() => {
    const element = box.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => setSplit(element.clientWidth >= splitWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const rows = useMemo(() => {
    const expanded = (at: number) => flags.get(`context:${at}`) ?? false
    return split ? splitRows(file, expanded) : unifiedRows(file, expanded)
  }, [file, split, flags])
  const expand = (at: number) => flags.set(`context:${at}`, true)
  useSought((wanted) => {
    for (const row of rows) {
      if (row.kind === 'fold' && row.lines.some((line) => holds(lineText(line), wanted))) expand(row.at)
    }
    return true
  })
  return (
    <div ref={box}>
      <Lines
        lines={rows}
        full={full}
        textOf={textOf}
        cutLine={itself}
        draw={(row) => <RowView row={row} onExpand={expand} />}
      />
    </div>
  )
}

function lineText(line?: DiffLine): string {
  return line ? line.parts.map(({ text }) => text).join('') : ''
}

/** What a row says; a fold says nothing of what is in it. */
function textOf(row: DiffRow): string {
  switch (row.kind) {
    case 'line':
      return lineText(row.line)
    case 'pair':
      return `${lineText(row.left)}\n${lineText(row.right)}`
    case 'gap':
      return row.heading
    case 'fold':
      return ''
    default:
      row satisfies never
      return ''
  }
}

function RowView({ row, onExpand }: { row: DiffRow; onExpand: (at: number) => void }) {
  switch (row.kind) {
    case 'gap':
      return (
        <div className="bg-raised px-3 text-faint">
          {row.lines > 0 && `⋯ ${counted(row.lines, 'unchanged line')} `}
          {row.heading && <Verbatim text={row.heading} />}
        </div>
      )
    case 'fold':
      return (
        <button
          type="button"
          className="w-full bg-raised px-3 text-left text-muted hover:text-text"
          onClick={() => onExpand(row.at)}
        >
          Show {counted(row.lines.length, 'unchanged line')}
        </button>
      )
    case 'line':
      return <LineView line={row.line} />
    case 'pair':
      return (
        <div className="grid grid-cols-2 divide-x divide-border">
          <LineView line={row.left} side="left" />
          <LineView line={row.right} side="right" />
        </div>
      )
    default:
      row satisfies never
      return null
  }
}

const strong = { context: '', add: 'bg-add-strong', del: 'bg-del-strong' }
const signs = { context: ' ', add: '+', del: '−' }

function LineView({ line, side }: { line?: DiffLine; side?: 'left' | 'right' }) {
  if (!line) return <div className="bg-bg" />
  const number = side === 'left' || line.kind === 'del' ? line.before : line.after
  return (
    <div className={clsx('flex min-w-0', line.kind === 'add' && 'bg-add', line.kind === 'del' && 'bg-del')}>
      <span
        className={clsx(
          'tnum w-14 shrink-0 pr-3 text-right select-none',
          line.kind === 'context' ? 'text-faint' : line.kind === 'add' ? 'text-ok' : 'text-err',
        )}
      >
        {signs[line.kind].trim()}
        {number}
      </span>
      <code className="min-w-0 flex-1 pr-3 break-spaces">
        {line.parts.map((part, index) => (
          <span key={index} className={clsx(part.strong && 'rounded-[2px]', part.strong && strong[line.kind])}>
            <Verbatim text={part.text.endsWith('\r') ? part.text.slice(0, -1) : part.text} />
          </span>
        ))}
      </code>
    </div>
  )
}
