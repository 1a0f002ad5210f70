import { detailsBlocks } from '../../protocol/details'
import { stringValue } from '../../protocol/json'
import type { Call } from '../../protocol/transcript'

/** The last line of a call's progress, where it is text; what a closed row shows of it. */
export function lastProgressLine(call: Call): string {
  const { update } = call
  if (!update) return ''
  if (update.contentText?.startsWith('"')) return lastLine(stringValue(update.contentText))
  if (!update.detailsText || update.detailsText.length > 100_000) return ''
  for (const block of detailsBlocks(update.detailsText)) {
    if (block.kind === 'terminal' || block.kind === 'text') return lastLine(block.text)
    if (block.kind === 'progress')
      return `${block.done}${block.total === undefined ? '' : ` of ${block.total}`} ${block.unit ?? ''}`
  }
  return ''
}

/** Whether an update's details show the text that its content is. */
export function showsContent({ contentText, detailsText }: NonNullable<Call['update']>): boolean {
  if (!contentText?.startsWith('"') || detailsText === undefined) return false
  const content = withoutColours(stringValue(contentText)).trim()
  return detailsBlocks(detailsText).some((block) => 'text' in block && withoutColours(block.text).includes(content))
}

function lastLine(text: string): string {
  const end = text.trimEnd()
  return withoutColours(end.slice(end.lastIndexOf('\n') + 1))
}

/** Text without a terminal's colours. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with a control character
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
}
