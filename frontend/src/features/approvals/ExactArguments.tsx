import { useMemo } from 'react'
import { isJsonError, type JsonNode, members, parseJson, pretty } from '../../protocol/json'
import { Verbatim } from '../../ui/Verbatim'
import { NumberValue } from '../details/JsonTree'
import { ArgumentGrid, MemberList, shownString } from '../details/MemberList'

/** The arguments of a call that waits, every byte of them: nothing is folded, cut or rounded, and what hides is marked. */
export function ExactArguments({ text }: { text: string }) {
  const root = useMemo(() => parseJson(text), [text])
  if (isJsonError(root)) {
    return (
      <div className="flex flex-col gap-2 px-3 py-2">
        <p className="text-small text-wait">{text.trim() ? `Not JSON: ${root.message}` : 'No arguments'}</p>
        {text.trim() && <Text text={text} />}
      </div>
    )
  }
  if (root.kind === 'object') {
    return <MemberList list={members(root)} value={(node) => <ExactValue node={node} />} />
  }
  return (
    <ArgumentGrid>
      <dt className="text-muted">{root.kind}</dt>
      <dd className="min-w-0">
        <ExactValue node={root} />
      </dd>
    </ArgumentGrid>
  )
}

function ExactValue({ node }: { node: JsonNode }) {
  switch (node.kind) {
    case 'string':
      return <Text text={shownString(node)} />
    case 'object':
    case 'array':
      return <Text text={pretty(node.text)} />
    case 'number':
      return <NumberValue text={node.text} />
    case 'boolean':
    case 'null':
      return <span className="text-deny">{node.text}</span>
    default:
      node.kind satisfies never
      return null
  }
}

/** So many lines, at most, are laid out together. */
const stretch = 100

/** All of a text. Of a long one the browser lays out only the stretches that are looked at, but every line is there. */
function Text({ text }: { text: string }) {
  const lines = text.split('\n')
  if (lines.length <= stretch) {
    return (
      <pre className="break-spaces">
        <Verbatim text={text} />
      </pre>
    )
  }
  const stretches = Array.from({ length: Math.ceil(lines.length / stretch) }, (_, at) =>
    lines.slice(at * stretch, (at + 1) * stretch),
  )
  return stretches.map((each, at) => (
    <pre
      key={at}
      className="break-spaces [content-visibility:auto]"
      style={{ containIntrinsicSize: `auto ${each.length * 18}px` }}
    >
      <Verbatim text={each.join('\n')} />
    </pre>
  ))
}
