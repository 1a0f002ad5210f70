import { type MouseEvent, memo, useContext, useEffect, useRef, useState } from 'react'
import { useLanguages } from '../highlight/useHighlighter'
import { escapeInvisible } from '../protocol/text'
import { GrowingMarkdown, type HtmlBlock } from './blocks'
import { OpenLink } from './OpenLink'

/** Spaces of typography: in prose they mislead nobody. */
const wideSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/** An open block longer than this is drawn at most four times a second while it grows. */
const longBlock = 16_000

/** Markdown text. It may grow; links are opened through OpenLink, never by the page itself. */
export function Markdown({ text, open = false }: { text: string; open?: boolean }) {
  const growing = useRef<GrowingMarkdown>(null)
  growing.current ??= new GrowingMarkdown()
  const shown = useThrottled(text, open && growing.current.openLength > longBlock ? 250 : 0)
  const openLink = useContext(OpenLink)
  useLanguages()
  const blocks = growing.current.blocks(escapeInvisible(shown.replace(wideSpaces, ' ')))
  const click = (event: MouseEvent<HTMLDivElement>) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link) return
    event.preventDefault()
    const address = link.getAttribute('href')
    if (address) openLink(address)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link comes as its click
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is pressed
    <div className="prose" onClick={click} onAuxClick={click}>
      {blocks.map((block) => (
        <Block key={block.key} block={block} />
      ))}
    </div>
  )
}

const Block = memo(
  function Block({ block }: { block: HtmlBlock }) {
    // biome-ignore lint/security/noDangerouslySetInnerHtml: DOMPurify has cleaned it
    return block.html ? <div dangerouslySetInnerHTML={{ __html: block.html }} /> : null
  },
  (before, after) => before.block.html === after.block.html,
)

/** The value, or for ms after a change the one before. */
function useThrottled(value: string, ms: number): string {
  const [shown, setShown] = useState(value)
  const latest = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  latest.current = value
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (ms === 0 || timer.current !== undefined || latest.current === shown) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      setShown(latest.current)
    }, ms)
  })
  return ms === 0 ? value : shown
}
