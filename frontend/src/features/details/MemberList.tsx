import { Fragment, type ReactNode } from 'react'
import { isJsonError, type JsonMember, type JsonNode, parseJson, stringValue } from '../../protocol/json'
import { Verbatim } from '../../ui/Verbatim'
import { Mark } from './JsonTree'
import { useReads } from './Reads'

/** The members of an object of arguments, each with the marks its name deserves. */
export function MemberList({ list, value }: { list: JsonMember[]; value: (of: JsonNode, index: number) => ReactNode }) {
  const reads = useReads()
  if (list.length === 0) return <p className="px-3 py-2 text-small text-faint">No arguments</p>
  return (
    <ArgumentGrid>
      {list.map((member, index) => (
        <Fragment key={index}>
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
          <dd className="min-w-0">{value(member.value, index)}</dd>
        </Fragment>
      ))}
    </ArgumentGrid>
  )
}

/** Names at the left, values at the right. */
export function ArgumentGrid({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-1 px-3 py-2 font-mono text-code">
      {children}
    </dl>
  )
}

/** A string as it is shown: without its quotes, unless it would then look like something else. */
export function shownString(node: JsonNode): string {
  const value = stringValue(node.text)
  const plain = value.trim() === value && value !== '' && isJsonError(parseJson(value))
  return plain || value.includes('\n') ? value : node.text
}
