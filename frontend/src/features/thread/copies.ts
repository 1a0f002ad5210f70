import type { MessageItem, Part } from '../../protocol/transcript'
import { type Row, runRows } from '../../state/rows'
import type { RunView } from '../../state/threadStore'
import { callAsJson, callAsText } from '../call/copies'

/** A message, or a part of an answer, as JSON. */
export function messageAsJson(item: MessageItem | Part): string {
  if (item.kind === 'message') return JSON.stringify({ id: item.id, role: item.role, content: item.text }, null, 2)
  const content = item.kind === 'reasoning' ? { reasoning: item.text } : { content: item.text }
  return JSON.stringify({ id: item.id, role: 'assistant', ...content }, null, 2)
}

/** All that was said and called in a thread, as text. */
export function threadAsText(runs: readonly RunView[]): string {
  return runs
    .flatMap((run) => runRows(run, false, []))
    .map(rowAsText)
    .filter((text) => text !== '')
    .join('\n\n')
}

/** What a row says, as text; empty when that is nothing of its own. */
export function rowAsText(row: Row): string {
  switch (row.kind) {
    case 'speaker':
      return `${row.name}:`
    case 'message':
    case 'text':
      return row.item.text.trim()
    case 'call':
      return indented(callAsText(row.call), row.depth)
    case 'end': {
      const { status, error } = row.run.transcript
      return error ? `The run failed: ${error.code ?? ''} ${error.message}` : `The run ended: ${status}`
    }
    default:
      return ''
  }
}

function indented(text: string, depth: number): string {
  return text.replace(/^/gm, '  '.repeat(depth + 1)).replace(/^ {2}/, '> ')
}

/** All that was said and called in a thread, as JSON. Arguments, results and details stand in it as they came. */
export function threadAsJson(threadId: string, title: string, runs: readonly RunView[]): string {
  const all = runs.map((run) => {
    const { transcript: t } = run
    const items = runRows(run, false, []).flatMap((row) => {
      if (row.kind === 'call') return [callAsJson(row.call)]
      return row.kind === 'message' || row.kind === 'text' || row.kind === 'reasoning' ? [messageAsJson(row.item)] : []
    })
    const head = JSON.stringify({ runId: run.id, agentName: run.agentName, status: t.status, error: t.error })
    return `${head.slice(0, -1)},"items":[\n${items.join(',\n')}\n]}`
  })
  const head = JSON.stringify({ threadId, title })
  return `${head.slice(0, -1)},"runs":[\n${all.join(',\n')}\n]}`
}
