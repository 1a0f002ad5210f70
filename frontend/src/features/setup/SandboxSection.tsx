import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import type { Settings, StudioState } from '../../transport/answers'
import { Icon } from '../../ui/Icon'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { Switch } from '../../ui/Switch'
import { CommandPlaceForm } from './CommandPlaceForm'

interface Props {
  state: StudioState
  onSave: (change: Partial<Settings>) => Promise<void>
}

/** Where commands run, what is there to run them in, and what holds where that is not there. */
export function SandboxSection({ state, onSave }: Props) {
  const { sandbox, settings } = state
  const { allowNativeFallback: fallback, commands } = settings
  const inDocker = commands.in === 'docker'
  return (
    <Section name="Sandbox">
      <p className="text-small text-muted">
        Where <code>run_command</code> runs for the agent <code>workspace</code>, for agents you made, and when you try
        it in Tools. Whether it asks you first is the same wherever it runs. The demo’s commands run on this machine,
        the tools of MCP servers and attached servers where those do.
      </p>
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="text-small text-muted">Commands run</span>
        <Select
          label="Commands run"
          className="w-64"
          value={commands.in}
          options={[
            { value: 'host', label: 'On this machine' },
            { value: 'docker', label: 'In Docker', note: 'Each in a new container, with the thread’s folder alone' },
          ]}
          onChange={(place) => void onSave({ commands: { ...commands, in: place === 'docker' ? 'docker' : 'host' } })}
        />
      </div>
      {inDocker && !sandbox.docker.available && (
        <Notice tone="wait">
          Docker is not there now: commands {fallback ? 'run on this machine, after you approved them' : 'fail'}.
        </Notice>
      )}
      {inDocker && <CommandPlaceForm place={commands} />}
      <ul className="flex flex-col gap-2">
        <Item name="Docker" available={sandbox.docker.available} reason={sandbox.docker.reason} />
        <Item name="WebAssembly" available={sandbox.wasm} reason="" />
      </ul>
      <div className="flex items-start justify-between gap-4">
        <p className="min-w-0 text-small text-muted">
          Run on this machine itself where a tool’s sandbox is not there.{' '}
          <span className="text-faint">{fallback ? 'Each time, the call’s row says so.' : 'Such calls fail.'}</span>
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
