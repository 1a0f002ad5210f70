import { useMemo } from 'react'
import { isJsonError, type JsonNode, members, parseJson } from '../../protocol/json'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from './BlockFrame'
import { JsonValue, Mark } from './JsonTree'
import { PlainLines } from './Lines'
import { MemberList, shownString } from './MemberList'
import { oddities } from './marks'

interface Props {
  text: string
  /** Long values show their beginning until they are opened. */
  brief?: boolean
}

/** A call's arguments: an object's members as a list, anything else as it was written. Nothing is rounded, left out or cut. */
export function Arguments({ text, brief }: Props) {
  const root = useMemo(() => parseJson(text), [text])
  const odd = useMemo(() => oddities(inside(root)), [root])
  return (
    <>
      {odd.length > 0 && (
        <p className="flex flex-wrap gap-y-1 px-3 pt-2">
          {odd.map((words) => (
            <Mark key={words}>{words}</Mark>
          ))}
        </p>
      )}
      <Content root={root} text={text} brief={brief} />
    </>
  )
}

/** The JSON text of what may be closed in a list of arguments: at its top every oddity has its own mark. */
function inside(root: ReturnType<typeof parseJson>): string {
  if (isJsonError(root)) return ''
  if (root.kind !== 'object') return root.text
  const branches = members(root).filter(({ value }) => value.kind === 'object' || value.kind === 'array')
  return `[${branches.map(({ value }) => value.text).join(',')}]`
}

/** Arguments in a frame: beside them, when asked, the text as it was written. */
export function ArgumentsBlock({ text, title = 'Arguments' }: { text: string; title?: string }) {
  return (
    <BlockFrame title={title} copyText={text} file={{ name: 'arguments.json' }} raw={text} beside>
      {(full) => <Arguments text={text} brief={!full} />}
    </BlockFrame>
  )
}

function Content({ root, text, brief }: Props & { root: ReturnType<typeof parseJson> }) {
  if (isJsonError(root)) {
    return (
      <div>
        <p className="px-3 pt-2 text-small text-wait">{text.trim() ? `Not JSON: ${root.message}` : 'No arguments'}</p>
        {text.trim() && <PlainLines text={text} full={!brief} />}
      </div>
    )
  }
  if (root.kind !== 'object') {
    return <JsonValue node={root} full={!brief} className="px-3 py-2" />
  }
  return (
    <MemberList
      list={members(root)}
      value={(node, index) => (
        <Keep name={String(index)}>
          <ArgumentValue node={node} brief={brief} />
        </Keep>
      )}
    />
  )
}

/** A longer string, in UTF-16 units, or one of more lines, is drawn by lines. */
const longText = 1000

function ArgumentValue({ node, brief }: { node: JsonNode; brief?: boolean }) {
  if (node.kind !== 'string') return <JsonValue node={node} full={!brief} />
  const text = shownString(node)
  if (text.length <= longText && text.split('\n', 14).length < 14) {
    return (
      <pre className="break-spaces">
        <Verbatim text={text} />
      </pre>
    )
  }
  return (
    <div className="-mx-3">
      <PlainLines text={text} full={!brief} className="" />
    </div>
  )
}
