import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import type { Settings, StudioState } from '../../transport/answers'
import { Icon } from '../../ui/Icon'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'

interface Props {
  state: StudioState
  onSave: (change: Partial<Settings>) => Promise<void>
}

/** Where the calls of tools that ask for a sandbox can run. */
export function SandboxSection({ state, onSave }: Props) {
  const { sandbox, settings } = state
  const fallback = settings.allowNativeFallback
  return (
    <Section name="Sandbox">
      <p className="text-small text-muted">
        For tools that ask for one: the commands of the workspace do not, and run on this machine after you approved
        them.
      </p>
      <ul className="flex flex-col gap-2">
        <Item name="Docker" available={sandbox.docker.available} reason={sandbox.docker.reason} />
        <Item name="WebAssembly" available={sandbox.wasm} reason="" />
      </ul>
      <div className="flex items-start justify-between gap-4">
        <p className="min-w-0 text-small text-muted">
          Run on this machine itself where a tool’s sandbox is not there.{' '}
          <span className="text-faint">{fallback ? 'Each time, the program’s log says so.' : 'Such calls fail.'}</span>
        </p>
        <Switch
          label="Run on this machine where a sandbox is not there"
          on={fallback}
          onChange={(allowNativeFallback) => void onSave({ allowNativeFallback })}
        />
      </div>
    </Section>
  )
}

function Item({ name, available, reason }: { name: string; available: boolean; reason: string }) {
  return (
    <li className="flex gap-2 text-small">
      <Icon node={available ? Check : CircleX} className={available ? 'text-ok' : 'text-faint'} />
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-medium">{name}</span>{' '}
        <span className="text-muted">
          {available ? 'is there' : 'is not there'}
          {!available && reason && `: ${reason}`}
        </span>
      </p>
    </li>
  )
}
