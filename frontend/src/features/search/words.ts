import type { Kind } from '../../transport/search'

/** What a text is, in a word. */
export const kindWords: Record<Kind, string> = {
  message: 'Message',
  text: 'Answer',
  reasoning: 'Reasoning',
  arguments: 'Arguments',
  progress: 'Progress',
  result: 'Result',
  error: 'Error',
}
