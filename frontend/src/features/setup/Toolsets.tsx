import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs'
import type { Settings, StudioState } from '../../transport/answers'
import { Icon } from '../../ui/Icon'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'
import { BrowserHosts } from './BrowserHosts'

interface Props {
  state: StudioState
  onSave: (change: Partial<Settings>) => Promise<void>
}

/** The tool sets that can be switched on and off, with what each offers. */
export function Toolsets({ state, onSave }: Props) {
  const { toolsets, settings } = state
  return (
    <Section name="Tool sets">
      <p className="text-small text-muted">
        What the agent <code>workspace</code> can do besides its work on the folder. A change holds from its next turn
        on.
      </p>
      <ul className="flex flex-col gap-2">
        {toolsets.map(({ name, description, tools, fault }) => (
          <li key={name} className="flex flex-col gap-1 rounded-block border border-border px-3 py-2">
            <div className="flex items-center gap-2">
              <span className="block min-w-0 flex-1 truncate font-medium first-letter:uppercase">{name}</span>
              <Switch
                label={name}
                on={settings.toolsets[name] ?? false}
                onChange={(on) => void onSave({ toolsets: { [name]: on } })}
              />
            </div>
            <p className="text-small text-muted">{description}</p>
            <p className="font-mono text-code text-faint [overflow-wrap:anywhere]">{tools.join(', ')}</p>
            {fault && (
              <p className="flex gap-2 text-small text-wait">
                <Icon node={TriangleAlert} />
                <span className="min-w-0 [overflow-wrap:anywhere]">It cannot work here: {fault}</span>
              </p>
            )}
          </li>
        ))}
      </ul>
      <BrowserHosts hosts={settings.browserHosts} />
    </Section>
  )
}
