import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import type { McpTest, McpTool } from '../../transport/mcp'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from '../details/BlockFrame'
import { PlainLines } from '../details/Lines'

/** What came of a test of a server: its tools or its fault, and what it wrote beside. */
export function McpOutcome({ result }: { result: McpTest }) {
  const { ok, tools, error, log } = result
  const text = log.join('\n')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p role="status" className={`flex gap-2 text-small ${ok ? 'text-ok' : 'text-err'}`}>
        <Icon node={ok ? Check : CircleX} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="font-semibold">{ok ? 'Works' : 'Failed'}: </span>
          {ok ? `it has ${counted(tools.length, 'tool')}.` : <Verbatim text={error ?? 'it gave no reason.'} />}
        </span>
      </p>
      {ok && <McpTools tools={tools} />}
      {text && (
        <BlockFrame title="What it wrote" copyText={text} file={{ name: 'server.log' }} raw={JSON.stringify(log)}>
          {(full) => <PlainLines text={text} full={full} tail />}
        </BlockFrame>
      )}
    </div>
  )
}

/** The tools of a server under the names agents call them by, and what is wrong with the others. */
export function McpTools({ tools }: { tools: McpTool[] }) {
  if (tools.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <ul tabIndex={0} aria-label="Tools" className="flex max-h-48 flex-col gap-1 overflow-y-auto text-small">
      {tools.map(({ name, toolName, description, error }) => (
        <li key={name} className="[overflow-wrap:anywhere]">
          <code className="text-code">
            <Verbatim text={toolName || name} />
          </code>{' '}
          <span className="text-muted">
            <Verbatim text={description} />
          </span>
          {error && (
            <span className="block text-err">
              Cannot be used: <Verbatim text={error} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
