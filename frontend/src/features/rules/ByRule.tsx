import { escapeInvisible } from '../../protocol/text'
import type { Call } from '../../protocol/transcript'
import { Verbatim } from '../../ui/Verbatim'

/** Names the rule that allowed a call, on its line. */
export function ByRule({ call }: { call: Call }) {
  if (!call.by?.startsWith('rule:') || call.state === 'approved') return null // then its time says who
  const name = call.by.slice('rule:'.length)
  return (
    <span
      className="max-w-64 shrink truncate text-small text-faint"
      title={`approved by rule: ${escapeInvisible(name)}`}
    >
      approved by rule: <Verbatim text={name} />
    </span>
  )
}
