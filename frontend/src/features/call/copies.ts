import { escapeInvisible } from '../../protocol/text'
import type { Call } from '../../protocol/transcript'
import { labelOf } from '../../state/rows'
import { metaOf } from './meta'
import { statusOf } from './status'

/**
 * A call as JSON. Arguments, result and details stand in it as they came; arguments that are not JSON, or would lose something
 * as such, stand beside them as text.
 */
export function callAsJson(call: Call): string {
  const members: string[] = []
  const put = (name: string, json: string | undefined) =>
    json !== undefined && members.push(`  ${JSON.stringify(name)}: ${json}`)
  const value = (of: unknown) => (of === undefined ? undefined : JSON.stringify(of))
  put('id', value(call.id))
  put('toolName', value(call.toolName))
  put('parentToolCallId', value(call.parentToolCallId))
  put('state', value(call.state))
  put('presentation', value(call.presentation))
  put('argumentsText', value(call.argumentsText))
  if (call.argumentsReplaced) put('proposedText', value(call.proposedText))
  put('by', value(call.by))
  put('reason', value(call.reason))
  put('result', call.resultText)
  put('details', call.detailsText)
  put('error', value(call.error))
  put('errorCode', value(call.errorCode))
  put('durationMs', value(call.durationMs))
  return `{\n${members.join(',\n')}\n}`
}

/** A call as lines of text, with what would not be seen escaped as the screen shows it. */
export function callAsText(call: Call): string {
  const head = [labelOf(call), call.presentation?.detail, metaOf(call, Date.now()), statusOf(call).word]
    .filter(Boolean)
    .join('  ')
  const lines = [head, `${call.toolName} ${call.argumentsText}`]
  if (call.error) lines.push(`${call.errorCode ?? 'error'}: ${call.error}`)
  if (call.reason) lines.push(`reason: ${call.reason}`)
  if (call.resultText && call.resultText !== 'null') lines.push(call.resultText)
  return escapeInvisible(lines.join('\n'))
}
