import type { RendererObject, Token } from 'marked'
import { languageName, languageNow } from '../highlight/languages'
import { escapeHtml, Highlighter, tokensHtml } from '../highlight/tokens'

/** The addresses a link may lead to. */
export const openable = /^(?:https?|mailto):/i

/** The tags a model may write itself: they have no attributes and load nothing. */
const plainTag = /^<\/?(?:br|sub|sup|kbd)\s*\/?>$/i

/** Code in its colours, once its language has been loaded. */
function codeHtml(text: string, lang: string | undefined): string {
  const name = languageName(lang)
  const language = name && languageNow(name)
  if (!language) return escapeHtml(text)
  const lines = text.split('\n')
  const highlighter = new Highlighter(lines, language)
  return lines.map((_, index) => tokensHtml(highlighter.line(index))).join('\n')
}

/**
 * What is drawn of markdown that is not as marked would have it: HTML stands there as it was written, a link that cannot be
 * opened is its text, and an image is its text and a link, for nothing is loaded from elsewhere.
 */
export const renderer: RendererObject = {
  code({ text, lang }) {
    return `<pre><code>${codeHtml(text, lang)}\n</code></pre>\n`
  },
  html(token) {
    if (plainTag.test(token.text.trim())) return token.text
    const text = escapeHtml(token.text.trimEnd())
    return token.block ? `<p>${text.replaceAll('\n', '<br>')}</p>` : text
  },
  text(token) {
    // marked leaves what stands inside of a raw block, such as <pre>, as it is.
    return 'escaped' in token && token.escaped ? escapeHtml(token.text) : false
  },
  link({ href, tokens }) {
    if (!openable.test(href)) return this.parser.parseInline(tokens)
    return tokens.some((token) => token.type === 'image')
      ? `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens.map(asText))}</a>`
      : false
  },
  image({ href, text }) {
    if (!openable.test(href)) return `${escapeHtml(text)} (image, not shown)`
    return `${escapeHtml(text)} (<a href="${escapeHtml(href)}">remote image, not loaded</a>)`
  },
}

/** An image inside of a link, which cannot hold a link of its own. */
function asText(token: Token): Token {
  if (token.type !== 'image') return token
  return { type: 'text', raw: token.raw, text: `${token.text} (remote image, not loaded)` }
}
