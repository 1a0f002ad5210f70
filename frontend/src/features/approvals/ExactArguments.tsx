import { useMemo } from 'react'
import { isJsonError, type JsonNode, members, parseJson, pretty, stringValue } from '../../protocol/json'
import { Verbatim } from '../../ui/Verbatim'
import { Mark, NumberValue } from '../details/JsonTree'
import { useReads } from '../details/Reads'

/** The arguments of a call that waits, every byte of them: nothing is folded, cut or rounded, and what hides is marked. */
export function ExactArguments({ text }: { text: string }) {
  const root = useMemo(() => parseJson(text), [text])
  const reads = useReads()
  if (isJsonError(root)) {
    return (
      <div className="flex flex-col gap-2 px-3 py-2">
        <p className="text-small text-wait">{text.trim() ? `Not JSON: ${root.message}` : 'No arguments'}</p>
        {text.trim() && <Text text={text} />}
      </div>
    )
  }
  const list = members(root)
  if (root.kind === 'object' && list.length === 0) {
    return <p className="px-3 py-2 text-small text-faint">No arguments</p>
  }
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-1 px-3 py-2 font-mono text-code">
      {root.kind === 'object' ? (
        list.map((member, index) => (
          <div key={index} className="contents">
            <dt className="max-w-60 text-muted break-spaces">
              <Verbatim text={member.key} />
              {(member.duplicate || member.caseVariant) && (
                <>
                  {' '}
                  <Mark>{member.duplicate ? 'duplicate key' : 'differs only in case'}</Mark>
                </>
              )}
              {!reads(member.key) && (
                <>
                  {' '}
                  <Mark>not read by the tool</Mark>
                </>
              )}
            </dt>
            <dd className="min-w-0">
              <ExactValue node={member.value} />
            </dd>
          </div>
        ))
      ) : (
        <>
          <dt className="text-muted">{root.kind}</dt>
          <dd className="min-w-0">
            <ExactValue node={root} />
          </dd>
        </>
      )}
    </dl>
  )
}

/** A string stands without its quotes unless it would then look like something else. */
function ExactValue({ node }: { node: JsonNode }) {
  switch (node.kind) {
    case 'string': {
      const value = stringValue(node.text)
      const plain = value.trim() === value && value !== '' && isJsonError(parseJson(value))
      return <Text text={plain || value.includes('\n') ? value : node.text} />
    }
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
