import { Markdown } from '../../markdown/Markdown'
import { useKept } from '../../ui/kept'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { BlockFrame } from './BlockFrame'
import { allOf, fewLines, ShowAll } from './Lines'
import { beginningOf, pieceOf } from './screenLines'

interface Props {
  text: string
  raw: string
  title?: string
  /** It still grows, and its end is what is looked for: nothing of it is left out. */
  whole?: boolean
}

/** Markdown as it is read: its first lines, all of it when asked. */
export function MarkdownBlock({ text, raw, title = 'Markdown', whole = false }: Props) {
  return (
    <BlockFrame title={title} copyText={text} file={{ name: 'text.md' }} raw={raw}>
      {(full) => <Content text={text} full={full || whole} />}
    </BlockFrame>
  )
}

function Content({ text, full }: { text: string; full: boolean }) {
  const [all, setAll] = useKept('all', false)
  const lines = text.trimEnd().split('\n')
  const first = full || all ? undefined : beginning(lines)
  useSought((wanted) => {
    if (first !== undefined && !holds(first, wanted) && holds(text, wanted)) setAll(true)
    return true
  })
  return (
    <>
      <div className="px-3 py-2">
        {text.trim() ? <Markdown text={first ?? text} /> : <p className="text-code font-mono">(empty)</p>}
      </div>
      {first !== undefined && <ShowAll what={allOf(text, lines.length)} onShow={() => setAll(true)} />}
    </>
  )
}

/** The first lines, the last cut after a word, without the head of code that would stand there empty; undefined where that is all. */
function beginning(lines: readonly string[]): string | undefined {
  return beginningOf(lines, fewLines, { lengthOf: (line) => line.length, cutLine: cutWords })
    ?.join('\n')
    .replace(/\n\s*(?:`{3,}|~{3,})[^\n]*\s*$/, '')
}

function cutWords(line: string, from: number, to: number): string {
  return `${pieceOf(line, from, to).replace(/\s+\S*$/, '')} …`
}
