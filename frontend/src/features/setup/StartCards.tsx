import type { IconNode } from 'lucide'
import Bot from 'lucide/dist/esm/icons/bot.mjs'
import Cable from 'lucide/dist/esm/icons/cable.mjs'
import FlaskConical from 'lucide/dist/esm/icons/flask-conical.mjs'
import KeyRound from 'lucide/dist/esm/icons/key-round.mjs'
import Plug from 'lucide/dist/esm/icons/plug.mjs'
import { type ReactNode, useState } from 'react'
import { useApp } from '../../state/app'
import { recall, remember } from '../../state/remembered'
import type { StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { toast } from '../../ui/toasts'

/**
 * The first steps, those that are still to be taken: an agent of a server that is attached, the demo, a model that was found on
 * this machine or another one, a server to attach, and then an agent of one's own.
 */
export function StartCards({ state, first }: { state: StudioState; first: boolean }) {
  const app = useApp()
  const [busy, setBusy] = useState(false)
  const [hidden, setHidden] = useState(() => recall('guide.hidden') === '1')
  const connected = state.overrideLabel !== undefined || state.providers.some((provider) => provider.model)
  const own = state.agents.some((agent) => !agent.builtIn && !agent.server)
  if (!first && connected && (own || hidden)) return null
  // Of each server the first agent; the others are in the menu under the message.
  const attached = state.attached.flatMap(({ name }) => state.agents.find(({ server }) => server === name) ?? [])
  const hide = () => {
    setHidden(true)
    remember('guide.hidden', '1')
  }
  const notSetUp =
    state.overrideLabel !== undefined
      ? []
      : state.found.filter((each) => !state.providers.some(({ id, model }) => id === each.id && model))
  const play = () => {
    setBusy(true)
    app
      .tryDemo()
      .catch((cause: unknown) => toast(`The demo did not start: ${messageOf(cause)}`, 'err'))
      .finally(() => setBusy(false))
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2 sm:has-[>:nth-child(3):last-child]:grid-cols-1 lg:has-[>:nth-child(3):last-child]:grid-cols-3">
      {first &&
        attached.map(({ name, server }) => (
          <Card
            key={name}
            icon={Cable}
            title={`New thread with ${name.slice(0, -server.length - 1)}`}
            onPress={() => {
              app.newChoice.set({ agentName: name })
              app.router.go({ kind: 'new' }) // so that the message has the focus
            }}
          >
            {`${server} is attached: its agents run there, and what they do is stored here.`}
          </Card>
        ))}
      {state.overrideLabel === undefined && (first || !connected) && (
        <Card icon={FlaskConical} title="Try the demo" disabled={busy} onPress={play}>
          Sends its message to a scripted agent, on a sample project of its own. No key, no network.
        </Card>
      )}
      {(first || !connected) &&
        notSetUp.map((found) => (
          <Card
            key={found.id}
            icon={Plug}
            title={`Use ${found.name}`}
            onPress={() => app.setUp.set({ kind: 'provider', found })}
          >
            {found.models.length > 0
              ? `Found with ${found.models.slice(0, 3).join(', ')}${found.models.length > 3 ? '…' : ''}`
              : found.baseUrl}
          </Card>
        ))}
      {!connected && (
        <Card icon={KeyRound} title="Connect a model" onPress={() => app.setUp.set({ kind: 'provider' })}>
          Any OpenAI-compatible server: an address, a key, a model.
        </Card>
      )}
      {state.attached.length === 0 && (
        <Card icon={Cable} title="Attach a server" onPress={() => app.setUp.set({ kind: 'attach' })}>
          Agents of a program of your own, or of another studio: its address, and its token if it has one.
        </Card>
      )}
      {connected && !own && !hidden && (
        <Card icon={Bot} title="Make an agent of your own" onPress={() => app.setUp.set({ kind: 'agent' })}>
          Your instructions, the tools it may use, and which of its calls wait for you.
        </Card>
      )}
      {!first && connected && (
        <div className="flex items-center">
          <Button tone="ghost" small onClick={hide}>
            Not now
          </Button>
        </div>
      )}
    </div>
  )
}

function Card({
  icon,
  title,
  disabled,
  onPress,
  children,
}: {
  icon: IconNode
  title: string
  disabled?: boolean
  onPress: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onPress}
      className="flex items-start gap-3 rounded-block border border-border bg-surface p-3 text-left hover:border-faint disabled:opacity-50"
    >
      <Icon node={icon} className="mt-0.5 text-accent" />
      <span className="min-w-0">
        <span className="block font-semibold">{title}</span>
        <span className="block text-small text-muted [overflow-wrap:anywhere]">{children}</span>
      </span>
    </button>
  )
}
