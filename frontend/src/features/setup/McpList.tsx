import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import Check from 'lucide/dist/esm/icons/circle-check.mjs'
import CircleMinus from 'lucide/dist/esm/icons/circle-minus.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import { useState } from 'react'
import { useApp } from '../../state/app'
import type { McpServer } from '../../transport/mcp'
import { Button } from '../../ui/Button'
import { counted } from '../../ui/format'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'
import { McpOutcome, McpTools } from './McpOutcome'
import { switched } from './mcpDraft'
import { ServerItem, type StateWord, useAct, useLookedAt } from './ServerItem'

/** The servers over MCP whose tools every agent is offered: how each is, what it has, and what is wrong with it. */
export function McpList({ servers }: { servers: McpServer[] }) {
  const app = useApp()
  useLookedAt(
    servers.some(({ state }) => state === 'starting'),
    servers,
  )
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
        <Button icon={Plus} onClick={() => app.setUp.set({ kind: 'mcp', within: true })}>
          Add a server
        </Button>
      </div>
    </Section>
  )
}

function Item({ server }: { server: McpServer }) {
  const app = useApp()
  const act = useAct()
  const [open, setOpen] = useState(false)
  const { name, tools, error, missing, enabled } = server
  const unusable = tools.filter((tool) => tool.error !== undefined).length
  return (
    <ServerItem
      name={name}
      state={stateOf(server)}
      control={
        <Switch
          label={name}
          on={enabled}
          onChange={(on) => void act(() => app.api.saveMcp(name, switched(server, on)))}
        />
      }
      way={server.transport === 'http' ? server.url : [server.command, ...server.args].join(' ')}
      error={error}
      wrong={
        missing.length > 0 && (
          <p className="text-small text-wait [overflow-wrap:anywhere]">
            {`No value for ${missing.join(', ')}. Write ${missing.length === 1 ? 'it' : 'them'} again under Edit.`}
          </p>
        )
      }
      has={
        tools.length > 0 && (
          <Button
            small
            tone="ghost"
            className="-ml-2"
            icon={open ? ChevronDown : ChevronRight}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <span>
              {counted(tools.length, 'tool')}
              {unusable > 0 && <span className="text-err">{`, ${unusable} cannot be used`}</span>}
            </span>
          </Button>
        )
      }
      question="Delete this server? Its values are forgotten, and its tools are not offered any more."
      onTest={() => app.api.testMcp(name)}
      onEdit={() => app.setUp.set({ kind: 'mcp', server, within: true })}
      onDelete={() => app.api.deleteMcp(name)}
      outcome={(result) => <McpOutcome result={result} listed={open && tools.length > 0} />}
    >
      {open && <McpTools tools={tools} />}
    </ServerItem>
  )
}

const words = {
  off: { word: 'not started', tone: 'text-faint', icon: CircleMinus },
  starting: { word: 'starting', tone: 'text-run', icon: undefined },
  ready: { word: 'ready', tone: 'text-ok', icon: Check },
  failed: { word: 'failed', tone: 'text-err', icon: CircleX },
}

/** How a server is. One that is on and not started yet starts with the next run; of one that is off its switch says so. */
function stateOf({ state, enabled }: McpServer): StateWord | undefined {
  return state === 'off' && !enabled ? undefined : words[state]
}
