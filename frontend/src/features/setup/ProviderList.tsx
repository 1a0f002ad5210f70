import Plus from 'lucide/dist/esm/icons/plus.mjs'
import RefreshCw from 'lucide/dist/esm/icons/refresh-cw.mjs'
import Trash2 from 'lucide/dist/esm/icons/trash.mjs'
import { useState } from 'react'
import { useApp } from '../../state/app'
import type { Provider, StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button, IconButton } from '../../ui/Button'
import { Section } from '../../ui/Section'
import { toast } from '../../ui/toasts'

const kept = {
  '': 'no key',
  env: 'key from the environment',
  keychain: 'key in the keychain',
  memory: 'key until Callboard closes',
  file: 'key in a file',
}

/** The models' servers: those set up, and those found on this machine. */
export function ProviderList({ state }: { state: StudioState }) {
  const app = useApp()
  const notSetUp = state.found.filter((each) => !state.providers.some((provider) => provider.id === each.id))
  return (
    <Section name="Models">
      {state.overrideLabel && (
        <p className="text-small text-muted">
          Callboard was started with {state.overrideLabel}: every agent speaks with it until the next start.
        </p>
      )}
      {state.providers.map((provider) => (
        <Item key={provider.id} provider={provider} />
      ))}
      {state.providers.length === 0 && (
        <p className="text-small text-faint">No model is connected. The demo needs none.</p>
      )}
      {notSetUp.map((found) => (
        <div
          key={found.id}
          className="flex items-center gap-3 rounded-block border border-border border-dashed px-3 py-2"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate">{found.name}</span>
            <span className="block truncate text-small text-muted">
              found, not set up: {found.models.length > 0 ? found.models.join(', ') : found.baseUrl}
            </span>
          </span>
          <Button
            small
            aria-label={`Set up ${found.name}`}
            onClick={() => app.setUp.set({ kind: 'provider', found, within: true })}
          >
            Set up
          </Button>
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button icon={Plus} onClick={() => app.setUp.set({ kind: 'provider', within: true })}>
          Connect a model
        </Button>
        <LookAgain />
      </div>
    </Section>
  )
}

/** Asks the usual servers on this machine again. */
export function LookAgain() {
  const app = useApp()
  const [busy, setBusy] = useState(false)
  const look = async () => {
    setBusy(true)
    try {
      const found = await app.api.found()
      await app.studio.refresh()
      const local = found.filter(({ source }) => source === 'local')
      const names = local.map(({ name }) => name).join(', ')
      toast(names ? `Found ${names}` : 'Found no server of models: Ollama, LM Studio, llama.cpp and vLLM were asked')
    } catch (cause) {
      toast(messageOf(cause), 'err')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={RefreshCw} busy={busy} onClick={() => void look()}>
      Look again
    </Button>
  )
}

function Item({ provider }: { provider: Provider }) {
  const app = useApp()
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    try {
      await app.api.deleteProvider(provider.id)
      await app.studio.refresh()
    } catch (cause) {
      toast(messageOf(cause), 'err')
      setBusy(false)
    }
  }
  return (
    <div className="flex items-center gap-2 rounded-block border border-border px-3 py-2">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">{provider.name}</span>
        <span className="block truncate text-small text-muted">
          {provider.model || 'no model chosen'} · {kept[provider.keyKept]}
        </span>
      </span>
      <Button
        small
        aria-label={`Edit ${provider.name}`}
        onClick={() => app.setUp.set({ kind: 'provider', provider, within: true })}
      >
        Edit
      </Button>
      {provider.keyKept !== 'env' && provider.id !== 'env' && (
        <IconButton icon={Trash2} label={`Remove ${provider.name}`} disabled={busy} onClick={() => void remove()} />
      )}
    </div>
  )
}
