import { useMemo } from 'react'
import { isJsonError, type JsonMember, type JsonNode, members, parseJson, stringValue } from '../../protocol/json'
import { Keep } from '../../ui/kept'
import { Verbatim } from '../../ui/Verbatim'
import { Mark, Value } from './JsonTree'
import { PlainLines } from './Lines'

/** A call's arguments: an object's members as a list, anything else as it was written. Nothing is rounded, left out or cut. */
export function Arguments({ text }: { text: string }) {
  const root = useMemo(() => parseJson(text), [text])
  if (isJsonError(root)) {
    return (
      <div>
        <p className="px-3 pt-2 text-small text-wait">{text.trim() ? `Not JSON: ${root.message}` : 'No arguments'}</p>
        {text.trim() && <PlainLines text={text} full />}
      </div>
    )
  }
  if (root.kind !== 'object') {
    return (
      <div className="px-3 py-2 font-mono text-code">
        <Value node={root} depth={0} full />
      </div>
    )
  }
  return <ArgumentList list={members(root)} />
}

function ArgumentList({ list }: { list: JsonMember[] }) {
  if (list.length === 0) return <p className="px-3 py-2 text-small text-faint">No arguments</p>
  return (
    <dl className="grid grid-cols-[minmax(72px,max-content)_1fr] gap-x-6 gap-y-1 px-3 py-2 font-mono text-code">
      {list.map((member, index) => (
        <div key={index} className="contents">
          <dt className="max-w-60 text-muted break-spaces">
            <Verbatim text={member.key} />
            {(member.duplicate || member.caseVariant) && (
              <>
                {' '}
                <Mark>{member.duplicate ? 'duplicate key' : 'differs only in case'}</Mark>
              </>
            )}
          </dt>
          <dd className="min-w-0">
            <Keep name={String(index)}>
              <ArgumentValue node={member.value} />
            </Keep>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A string stands without its quotes unless it would then look like something else. */
function ArgumentValue({ node }: { node: JsonNode }) {
  if (node.kind !== 'string') return <Value node={node} depth={1} full />
  const value = stringValue(node.text)
  const plain = value.trim() === value && value !== '' && isJsonError(parseJson(value))
  return (
    <pre className="break-spaces">
      <Verbatim text={plain || value.includes('\n') ? value : node.text} />
    </pre>
  )
}
