import clsx from 'clsx'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import Check from 'lucide/dist/esm/icons/circle-check.mjs'
import CircleMinus from 'lucide/dist/esm/icons/circle-minus.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/api'
import type { McpServer, McpTest } from '../../transport/mcp'
import { useAskedDelete } from '../../ui/askedDelete'
import { Button } from '../../ui/Button'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Section } from '../../ui/Section'
import { Spinner } from '../../ui/Spinner'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { McpOutcome, McpTools } from './McpOutcome'
import { switched } from './mcpDraft'

/** How often, in ms, a server that starts is looked at. */
const pace = 1000

/** The servers over MCP whose tools every agent is offered: how each is, what it has, and what is wrong with it. */
export function McpList({ servers }: { servers: McpServer[] }) {
  const app = useApp()
  useEffect(() => {
    if (!servers.some(({ state }) => state === 'starting')) return
    const timer = setTimeout(() => void app.studio.refresh(), pace)
    return () => clearTimeout(timer)
  }, [servers, app])
  return (
    <Section name="MCP servers">
      {servers.length === 0 && (
        <p className="text-small text-muted">No servers. The tools of one that is added are offered to every agent.</p>
      )}
      {servers.length > 0 && (
        <ul className="flex flex-col gap-2">
          {servers.map((server) => (
            <Item key={server.name} server={server} />
          ))}
        </ul>
      )}
      <div>
        <Button icon={Plus} onClick={() => app.setUp.set({ kind: 'mcp' })}>
          Add a server
        </Button>
      </div>
    </Section>
  )
}

function Item({ server }: { server: McpServer }) {
  const app = useApp()
  const [open, setOpen] = useState(false)
  const [testing, setTesting] = useState(false)
  const [result, setResult] = useState<McpTest>()
  const { name, tools, error, missing, enabled } = server
  const act = async (what: () => Promise<unknown>) => {
    try {
      await what()
    } catch (cause) {
      toast(messageOf(cause), 'err')
    }
    await app.studio.refresh()
  }
  const test = async () => {
    setTesting(true)
    setResult(undefined)
    await act(async () => setResult(await app.api.testMcp(name)))
    setTesting(false)
  }
  const { button, asking } = useAskedDelete({
    name,
    question: 'Delete this server? Its values are forgotten, and its tools are not offered any more.',
    onDelete: () => act(() => app.api.deleteMcp(name)),
  })
  const unusable = tools.filter((tool) => tool.error !== undefined).length
  const way = server.transport === 'http' ? server.url : [server.command, ...server.args].join(' ')
  return (
    <li className="flex min-w-0 flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        <State server={server} />
        <Switch
          label={name}
          on={enabled}
          onChange={(on) => void act(() => app.api.saveMcp(name, switched(server, on)))}
        />
      </div>
      <code className="truncate text-code text-muted" title={way}>
        <Verbatim text={way} />
      </code>
      {error && !result && (
        <p className="text-small text-err [overflow-wrap:anywhere]">
          <Verbatim text={error} />
        </p>
      )}
      {missing.length > 0 && (
        <p className="text-small text-wait [overflow-wrap:anywhere]">
          {`No value for ${missing.join(', ')}. Write ${missing.length === 1 ? 'it' : 'them'} again under Edit.`}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {tools.length > 0 && (
          <Button
            small
            tone="ghost"
            className="-ml-2"
            icon={open ? ChevronDown : ChevronRight}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {counted(tools.length, 'tool')}
            {unusable > 0 && <span className="text-err">{`, ${unusable} cannot be used`}</span>}
          </Button>
        )}
        <span className="flex-1" />
        <Button small busy={testing} onClick={() => void test()}>
          Test
        </Button>
        <Button small onClick={() => app.setUp.set({ kind: 'mcp', server })}>
          Edit
        </Button>
        {button}
      </div>
      {open && <McpTools tools={tools} />}
      {asking}
      {result && <McpOutcome result={result} listed={open && tools.length > 0} />}
    </li>
  )
}

const words = {
  off: { word: 'off', tone: 'text-faint', icon: CircleMinus },
  starting: { word: 'starting', tone: 'text-run', icon: undefined },
  ready: { word: 'ready', tone: 'text-ok', icon: Check },
  failed: { word: 'failed', tone: 'text-err', icon: CircleX },
}

/** How a server is. One that is on and not started yet starts with the next run. */
function State({ server: { state, enabled } }: { server: McpServer }) {
  const { word, tone, icon } = words[state]
  if (state === 'off' && !enabled) return null
  return (
    <span className={clsx('flex shrink-0 items-center gap-1 text-small', tone)}>
      {icon ? <Icon node={icon} size={14} /> : <Spinner size={14} />}
      {state === 'off' ? 'not started' : word}
    </span>
  )
}
