import Check from 'lucide/dist/esm/icons/circle-check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import { useApp } from '../../state/app'
import type { Attached } from '../../transport/attached'
import { Button } from '../../ui/Button'
import { counted } from '../../ui/format'
import { Section } from '../../ui/Section'
import { AttachOutcome } from './AttachOutcome'
import { ServerItem, useLookedAt } from './ServerItem'

/** The attached servers: how each is, what it has, and what is wrong with it. */
export function AttachList({ servers }: { servers: Attached[] }) {
  const app = useApp()
  useLookedAt(
    servers.some(({ state }) => state === 'asking'),
    servers,
  )
  return (
    <Section name="Attached servers">
      {servers.length === 0 && (
        <p className="text-small text-muted">
          No servers. The agents of one that is attached are run beside those here; what they do is stored here.
        </p>
      )}
      {servers.length > 0 && (
        <ul className="flex flex-col gap-2">
          {servers.map((server) => (
            <Item key={server.name} server={server} />
          ))}
        </ul>
      )}
      <div>
        <Button icon={Plus} onClick={() => app.setUp.set({ kind: 'attach', within: true })}>
          Attach a server
        </Button>
      </div>
    </Section>
  )
}

function Item({ server }: { server: Attached }) {
  const app = useApp()
  const { name, url, error, state, version, agents, tools } = server
  const has = [version, counted(agents.length, 'agent'), counted(tools.length, 'tool')].filter(Boolean).join(' · ')
  return (
    <ServerItem
      name={name}
      state={words[state]}
      way={url}
      error={error}
      has={<span className="text-small text-muted">{has}</span>}
      question="Detach this server? Its token is forgotten. Threads with its agents stay, and what they wait for is given up here."
      onTest={() => app.api.testAttached(name)}
      onEdit={() => app.setUp.set({ kind: 'attach', server, within: true })}
      onDelete={() => app.api.deleteAttached(name)}
      outcome={(result) => <AttachOutcome result={result} />}
    />
  )
}

const words = {
  asking: { word: 'asking', tone: 'text-run', icon: undefined },
  ready: { word: 'ready', tone: 'text-ok', icon: Check },
  failed: { word: 'failed', tone: 'text-err', icon: CircleX },
}
