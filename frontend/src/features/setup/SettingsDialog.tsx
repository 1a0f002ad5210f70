import { useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { defaultModel } from '../../state/models'
import type { Settings, StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/api'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { toast } from '../../ui/toasts'
import { NotificationControl } from '../inbox/NotificationControl'
import { SingleKeys } from '../palette/SingleKeys'
import { RulesList } from '../rules/RulesList'
import { modelOptions } from '../thread/Choices'
import { ProviderForm } from './ProviderForm'
import { ProviderList } from './ProviderList'
import { useFolderPicker } from './useFolderPicker'

/** Theme, the folder and agent of new threads, and the models. */
export function SettingsDialog() {
  const app = useApp()
  const setUp = useCell(app.setUp)
  const { state, fault } = useCell(app.studio.cell)
  if (!setUp) return null
  const close = () => app.setUp.set(undefined)
  if (setUp.kind === 'provider') {
    const { provider, found, within } = setUp
    const back = () => app.setUp.set(within ? { kind: 'settings' } : undefined)
    return (
      <Dialog open onClose={close} title={provider ? provider.name : 'Connect a model'}>
        <ProviderForm provider={provider} found={found} onDone={back} />
      </Dialog>
    )
  }
  return (
    <Dialog open onClose={close} title="Settings">
      {fault && <Notice tone="err">{fault}</Notice>}
      {state && <Body state={state} />}
    </Dialog>
  )
}

function Body({ state }: { state: StudioState }) {
  const app = useApp()
  const { settings } = state
  const [picker, pick] = useFolderPicker()
  const [busy, setBusy] = useState(false)
  const save = async (change: Partial<Settings>) => {
    setBusy(true)
    try {
      await app.studio.save(change)
    } catch (cause) {
      toast(messageOf(cause), 'err')
    } finally {
      setBusy(false)
    }
  }
  const choose = async () => {
    const folder = await pick(settings.folder)
    if (folder) await save({ folder })
  }
  const fallback = defaultModel(state)
  const chosen = { providerId: fallback?.provider.id, model: fallback?.model }
  const model = JSON.stringify([chosen.providerId, chosen.model])
  const models = modelOptions(state, chosen, true).filter((option) => option.value !== '')
  return (
    <div className="flex flex-col gap-6">
      <section className="flex flex-col gap-3" aria-label="General">
        <Line name="Theme">
          <Select
            label="Theme"
            className="w-40"
            value={settings.theme}
            disabled={busy}
            options={[
              { value: 'system', label: 'As the system' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={(theme) => void save({ theme: theme === 'light' || theme === 'dark' ? theme : 'system' })}
          />
        </Line>
        <Line name="Agent of new threads">
          <Select
            label="Agent of new threads"
            className="w-64"
            value={settings.agentName}
            disabled={busy}
            options={state.agents.map((agent) => ({ value: agent.name, label: agent.name, note: agent.description }))}
            onChange={(agentName) => void save({ agentName })}
          />
        </Line>
        <Line name="Folder of new threads">
          <span className="flex min-w-0 items-center gap-2">
            <span className="min-w-0 truncate font-mono text-code text-muted" title={settings.folder}>
              {settings.folder || 'none'}
            </span>
            <Button small busy={busy} onClick={() => void choose()}>
              Choose…
            </Button>
            {settings.folder && (
              <Button small tone="ghost" disabled={busy} onClick={() => void save({ folder: '' })}>
                Clear
              </Button>
            )}
          </span>
        </Line>
        {fallback && (
          <Line name="Model of new threads">
            <Select
              label="Model of new threads"
              className="w-64"
              value={model}
              disabled={busy}
              options={models}
              onChange={(value) => {
                const parsed: unknown = JSON.parse(value)
                const [providerId = '', name = ''] = Array.isArray(parsed) ? parsed.map(String) : []
                void save({ providerId, model: name })
              }}
            />
          </Line>
        )}
        <Line name="Notification when a call waits">
          <NotificationControl />
        </Line>
        <SingleKeys />
      </section>
      <ProviderList state={state} />
      <RulesList />
      <p className="text-small text-faint">Callboard {state.version}</p>
      {picker}
    </div>
  )
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <span className="text-small text-muted">{name}</span>
      {children}
    </div>
  )
}
