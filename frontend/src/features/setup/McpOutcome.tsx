import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import { useState } from 'react'
import type { McpTest, McpTool } from '../../transport/mcp'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { BlockFrame } from '../details/BlockFrame'
import { PlainLines, ShowAll } from '../details/Lines'

/** What came of a test of a server: its tools, unless they are listed above, or its fault, and what it wrote beside. */
export function McpOutcome({ result, listed }: { result: McpTest; listed?: boolean }) {
  const { ok, tools, error, log } = result
  const text = log.join('\n')
  const usable = tools.filter((tool) => !tool.error).length
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p role="status" className={`flex gap-2 text-small ${ok ? 'text-ok' : 'text-err'}`}>
        <Icon node={ok ? Check : CircleX} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="font-semibold">{ok ? 'Works' : 'Failed'}: </span>
          {ok ? haveWords(usable, tools.length) : <Verbatim text={error ?? 'it gave no reason.'} />}
        </span>
      </p>
      {ok && !listed && <McpTools tools={tools} />}
      {text && (
        <BlockFrame title="What it wrote" copyText={text} file={{ name: 'server.log' }} raw={JSON.stringify(log)}>
          {(full) => <PlainLines text={text} full={full} tail />}
        </BlockFrame>
      )}
    </div>
  )
}

function haveWords(usable: number, all: number): string {
  return usable === all ? `it has ${counted(all, 'tool')}.` : `${usable} of its ${counted(all, 'tool')} can be used.`
}

/** So many tools stand in a list before it is asked for all. */
const fewTools = 6

/** The tools of a server under the names agents call them by, and what is wrong with the others, which come first: a few, all when asked. */
export function McpTools({ tools }: { tools: McpTool[] }) {
  const [all, setAll] = useState(false)
  const sorted = [...tools.filter((tool) => tool.error), ...tools.filter((tool) => !tool.error)]
  const shown = all || tools.length <= fewTools + 1 ? sorted : sorted.slice(0, fewTools)
  if (tools.length === 0) return null
  return (
    <div className="overflow-hidden rounded-block border border-border">
      <ul aria-label="Tools" className="flex flex-col gap-1 px-3 py-2 text-small">
        {shown.map(({ name, toolName, description, error }) => (
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
      {shown.length < tools.length && <ShowAll what={counted(tools.length, 'tool')} onShow={() => setAll(true)} />}
    </div>
  )
}
