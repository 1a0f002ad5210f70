import clsx from 'clsx'
import Check from 'lucide/dist/esm/icons/circle-check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import Plus from 'lucide/dist/esm/icons/plus.mjs'
import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/api'
import type { Attached, AttachedTest } from '../../transport/attached'
import { useAskedDelete } from '../../ui/askedDelete'
import { Button } from '../../ui/Button'
import { counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Section } from '../../ui/Section'
import { Spinner } from '../../ui/Spinner'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { AttachOutcome } from './AttachOutcome'

/** How often, in ms, a server that is being asked is looked at. */
const pace = 1000

/** The attached servers: how each is, what it has, and what is wrong with it. */
export function AttachList({ servers }: { servers: Attached[] }) {
  const app = useApp()
  useEffect(() => {
    if (!servers.some(({ state }) => state === 'asking')) return
    const timer = setTimeout(() => void app.studio.refresh(), pace)
    return () => clearTimeout(timer)
  }, [servers, app])
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
  const [testing, setTesting] = useState(false)
  const [result, setResult] = useState<AttachedTest>()
  const { name, url, error, state, version, agents, tools } = server
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
    await act(async () => setResult(await app.api.testAttached(name)))
    setTesting(false)
  }
  const { button, asking } = useAskedDelete({
    name,
    question:
      'Detach this server? Its token is forgotten. Threads with its agents stay, and what they wait for is given up here.',
    onDelete: () => act(() => app.api.deleteAttached(name)),
  })
  const has = [version, counted(agents.length, 'agent'), counted(tools.length, 'tool')].filter(Boolean).join(' · ')
  return (
    <li className="flex min-w-0 flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        <State state={state} />
      </div>
      <code className="truncate text-code text-muted" title={url}>
        <Verbatim text={url} />
      </code>
      {error && !result && (
        <p className="text-small text-err [overflow-wrap:anywhere]">
          <Verbatim text={error} />
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-small text-muted">{has}</span>
        <span className="flex-1" />
        <Button small busy={testing} onClick={() => void test()}>
          Test
        </Button>
        <Button small onClick={() => app.setUp.set({ kind: 'attach', server, within: true })}>
          Edit
        </Button>
        {button}
      </div>
      {asking}
      {result && <AttachOutcome result={result} />}
    </li>
  )
}

const words = {
  asking: { word: 'asking', tone: 'text-run', icon: undefined },
  ready: { word: 'ready', tone: 'text-ok', icon: Check },
  failed: { word: 'failed', tone: 'text-err', icon: CircleX },
}

function State({ state }: { state: Attached['state'] }) {
  const { word, tone, icon } = words[state]
  return (
    <span className={clsx('flex shrink-0 items-center gap-1 text-small', tone)}>
      {icon ? <Icon node={icon} size={14} /> : <Spinner size={14} />}
      {word}
    </span>
  )
}
