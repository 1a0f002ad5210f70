import DOMPurify from 'dompurify'
import { Marked, type Token } from 'marked'
import { languagesVersion } from '../highlight/languages'
import { openable, renderer } from './renderer'

/** A top-level block of markdown as clean HTML. */
export interface HtmlBlock {
  key: number
  html: string
}

const marked = new Marked({ gfm: true, breaks: true, async: false }, { renderer })

const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'sup', 'sub', 'kbd', 'span'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'start', 'align', 'class'],
  ALLOWED_URI_REGEXP: openable,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

// The only classes are the colours of code.
DOMPurify.addHook('uponSanitizeAttribute', (_, data) => {
  if (data.attrName === 'class' && !/^tok-[a-z]+$/.test(data.attrValue)) data.keepAttr = false
})

/** What a frame of growing text may lex again, in UTF-16 units; a longer open block is lexed less often (Markdown.tsx). */
const reopened = 2

/**
 * Markdown that grows at its end. Blocks that can no longer change are kept; only the last two are read again, so that a long
 * answer costs its length and not its square.
 */
export class GrowingMarkdown {
  #frozen: HtmlBlock[] = []
  #done = 0
  #text = ''
  /** The languages that were there when the kept blocks were made. */
  #languages = 0

  /** The blocks of the text. A text that does not go on from the last one is read anew, as when a language came for its code. */
  blocks(text: string): HtmlBlock[] {
    const languages = languagesVersion()
    if (!text.startsWith(this.#text) || this.#languages !== languages) {
      this.#frozen = []
      this.#done = 0
    }
    this.#text = text
    this.#languages = languages
    const tokens = marked.lexer(text.slice(this.#done))
    const open: HtmlBlock[] = []
    for (const [index, token] of tokens.entries()) {
      const block = { key: this.#frozen.length + open.length, html: '' }
      if (index < tokens.length - reopened) {
        this.#done += token.raw.length
        this.#frozen.push({ ...block, html: htmlOf(token) })
      } else {
        open.push({ ...block, html: htmlOf(token) })
      }
    }
    return [...this.#frozen, ...open]
  }

  /** The length of the part that is read again when the text grows. */
  get openLength(): number {
    return this.#text.length - this.#done
  }
}

function htmlOf(token: Token): string {
  if (token.type === 'space') return ''
  return clean(marked.parser([token]))
}

/** HTML without anything that runs, loads, styles or asks. */
export function clean(html: string): string {
  return DOMPurify.sanitize(html, allowed)
}
