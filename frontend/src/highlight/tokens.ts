import { StringStream } from '@codemirror/streamparser'
import type { Language } from './languages'

/** A stretch of code in one colour; kind names it in styles/highlight.css. */
export interface Token {
  text: string
  kind?: string
}

/** A longer line, in UTF-16 units, has no colours: it is data, and would hold up the page. */
const longLine = 5000

/** Code by lines, coloured as far as it has been looked at: each line is read once, with what the lines before it left open. */
export class Highlighter {
  readonly #lines: readonly string[]
  readonly #language: Language
  readonly #state: unknown
  readonly #done: Token[][] = []

  constructor(lines: readonly string[], language: Language) {
    this.#lines = lines
    this.#language = language
    this.#state = language.startState?.(2) ?? {}
  }

  /** The tokens of a line; joined they are the line. */
  line(index: number): Token[] {
    while (this.#done.length <= index) this.#done.push(this.#read(this.#lines[this.#done.length] ?? ''))
    return this.#done[index] ?? []
  }

  #read(line: string): Token[] {
    if (line.length > longLine) return [{ text: line }]
    if (line === '') {
      this.#language.blankLine?.(this.#state, 2)
      return []
    }
    const tokens: Token[] = []
    const stream = new StringStream(line, 4, 2)
    let still = 0
    while (!stream.eol()) {
      const style = this.#language.token(stream, this.#state)
      if (stream.pos === stream.start) {
        // A mode may change only its state, but not for ever.
        if (++still > 10) stream.next()
        else continue
      }
      still = 0
      push(tokens, stream.current(), kindOf(style))
      stream.start = stream.pos
    }
    return tokens
  }
}

function push(tokens: Token[], text: string, kind: string | undefined): void {
  const last = tokens.at(-1)
  if (last && last.kind === kind) last.text += text
  else tokens.push({ text, kind })
}

const kinds: [RegExp, string][] = [
  [/comment|quote/, 'comment'],
  [/string|character|regexp|escape|inserted/, 'string'],
  [/number|atom|bool|null|unit|color|deleted/, 'number'],
  [/keyword|operatorKeyword|modifier|self/, 'keyword'],
  [/type|className|namespace|builtin|standard/, 'type'],
  [/def|function|tag|heading|header|property|attribute|labelName/, 'name'],
  [/meta|processing|annotation/, 'meta'],
]

/** The kind of a mode's style: its names are CodeMirror's, with modifiers behind dots. */
function kindOf(style: string | null): string | undefined {
  return style ? kinds.find(([names]) => names.test(style))?.[1] : undefined
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as HTML that shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

/** Tokens as HTML. */
export function tokensHtml(tokens: readonly Token[]): string {
  return tokens
    .map(({ text, kind }) => {
      const safe = escapeHtml(text)
      return kind ? `<span class="tok-${kind}">${safe}</span>` : safe
    })
    .join('')
}
