import { Markdown } from '../../markdown/Markdown'
import { counted } from '../../ui/format'
import { useKept } from '../../ui/kept'
import { useSought } from '../find/sought'
import { holds } from '../find/texts'
import { BlockFrame } from './BlockFrame'
import { fewLines, ShowAll } from './Lines'

/** Markdown as it is read: its first lines, all of it when asked. */
export function MarkdownBlock({ text, raw }: { text: string; raw: string }) {
  return (
    <BlockFrame title="Markdown" copyText={text} file={{ name: 'text.md' }} raw={raw}>
      {(full) => <Content text={text} full={full} />}
    </BlockFrame>
  )
}

function Content({ text, full }: { text: string; full: boolean }) {
  const [all, setAll] = useKept('all', false)
  const lines = text.trimEnd().split('\n')
  const cut = !full && !all && lines.length > fewLines + 1
  useSought((wanted) => {
    if (cut && !holds(beginning(lines), wanted) && holds(text, wanted)) setAll(true)
    return true
  })
  return (
    <>
      <div className="px-3 py-2">
        <Markdown text={cut ? beginning(lines) : text} />
      </div>
      {cut && <ShowAll what={counted(lines.length, 'line')} onShow={() => setAll(true)} />}
    </>
  )
}

/** The first lines, without the head of code that would stand there empty. */
function beginning(lines: readonly string[]): string {
  return lines
    .slice(0, fewLines)
    .join('\n')
    .replace(/\n\s*(?:`{3,}|~{3,})[^\n]*\s*$/, '')
}
