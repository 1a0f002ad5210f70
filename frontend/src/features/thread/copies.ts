import { escapeInvisible } from '../../protocol/text'
import type { MessageItem, Part } from '../../protocol/transcript'
import type { Bodies } from '../../state/bodies'
import { answerAsJson, endIsOdd, type Row, runRows } from '../../state/rows'
import type { RunView } from '../../state/threadStore'
import { callAsJson, callAsText } from '../call/copies'

/** A message, or a part of an answer, as JSON. */
export function messageAsJson(item: MessageItem | Part): string {
  if (item.kind === 'message') return JSON.stringify({ id: item.id, role: item.role, content: item.text }, null, 2)
  const content = item.kind === 'reasoning' ? { reasoning: item.text } : { content: item.text }
  return JSON.stringify({ id: item.id, role: 'assistant', ...content }, null, 2)
}

/** A message, or a part of an answer, as text, with what would not be seen escaped as the screen shows it. */
export function messageAsText(item: MessageItem | Part): string {
  return escapeInvisible(item.text.trim())
}

/** All that was said and called in a thread, as text. */
export async function threadAsText(runs: readonly RunView[], bodies: Bodies): Promise<string> {
  const texts: string[] = []
  for (const row of runs.flatMap((run) => runRows(run, false, []))) {
    const text = await rowAsText(row, bodies)
    if (text !== '') texts.push(text)
  }
  return texts.join('\n\n')
}

/** What a row says, as text; empty when that is nothing of its own. */
export async function rowAsText(row: Row, bodies: Bodies): Promise<string> {
  switch (row.kind) {
    case 'speaker':
      return row.by === 'handoff' ? `Handed over to ${row.name}:` : `${row.name}:`
    case 'message':
    case 'text':
      return messageAsText(row.item)
    case 'call':
      return indented(callAsText(await bodies.whole(row.call)), row.depth)
    case 'end': {
      const { status, error, finish } = row.run.transcript
      const texts = finish?.structuredText === undefined ? [] : [finish.structuredText]
      if (error) texts.push(`The run failed: ${error.code ?? ''} ${error.message}`)
      else if (texts.length === 0 || (finish && endIsOdd(finish))) texts.push(`The run ended: ${status}`)
      return escapeInvisible(texts.join('\n'))
    }
    default:
      return ''
  }
}

function indented(text: string, depth: number): string {
  return text.replace(/^/gm, '  '.repeat(depth + 1)).replace(/^ {2}/, '> ')
}

/** All that was said and called in a thread, as JSON. Arguments, results and details stand in it as they came. */
export async function threadAsJson(
  threadId: string,
  title: string,
  runs: readonly RunView[],
  bodies: Bodies,
): Promise<string> {
  const all: string[] = []
  for (const run of runs) {
    const items: string[] = []
    for (const row of runRows(run, false, [])) {
      if (row.kind === 'call') items.push(callAsJson(await bodies.whole(row.call)))
      if (row.kind === 'message' || row.kind === 'text' || row.kind === 'reasoning') items.push(messageAsJson(row.item))
    }
    const { status, error, finish } = run.transcript
    const answer = answerAsJson(run.transcript)
    if (answer) items.push(messageAsJson(answer))
    const head = JSON.stringify({ runId: run.id, agentName: run.agentName, status, error }).slice(0, -1)
    const structured = finish?.structuredText === undefined ? '' : `,"structured":${finish.structuredText}`
    all.push(`${head}${structured},"items":[\n${items.join(',\n')}\n]}`)
  }
  const head = JSON.stringify({ threadId, title })
  return `${head.slice(0, -1)},"runs":[\n${all.join(',\n')}\n]}`
}
