import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { defaultModel } from '../../state/models'
import type { Settings as Saved, StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { InHeader } from '../../ui/Dialog'
import { agentLabel } from '../../ui/format'
import { goToSection, Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { toast } from '../../ui/toasts'
import { NotificationControl } from '../inbox/NotificationControl'
import { SingleKeys } from '../palette/SingleKeys'
import { RulesList } from '../rules/RulesList'
import { modelOptions } from '../thread/Choices'
import { AgentList } from './AgentList'
import { AttachList } from './AttachList'
import { McpList } from './McpList'
import { Notes } from './Notes'
import { ProviderList } from './ProviderList'
import { Retention } from './Retention'
import { SandboxSection } from './SandboxSection'
import { Schedules } from './Schedules'
import { Toolsets } from './Toolsets'
import { useFolderPicker } from './useFolderPicker'

const sections = [
  'General',
  'Agents',
  'Models',
  'Tool sets',
  'MCP servers',
  'Attached servers',
  'Sandbox',
  'Schedules',
  'Notes',
  'Rules',
]

/** What new threads begin with, the models, what agents may use, and what was kept for later. */
export default function Settings({ state, section }: { state: StudioState; section?: string }) {
  const app = useApp()
  const { settings } = state
  const [picker, pick] = useFolderPicker()
  const [busy, setBusy] = useState(false)
  useEffect(() => void app.studio.refresh(), [app])
  useEffect(() => {
    if (section) goToSection(section)
  }, [section])
  const save = async (change: Partial<Saved>) => {
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
      <InHeader>
        <nav aria-label="Sections" className="flex flex-wrap">
          {sections.map((name) => (
            <Button
              key={name}
              small
              tone="ghost"
              className="-mx-0.5"
              autoFocus={!section && name === sections[0]}
              onClick={() => goToSection(name)}
            >
              {name}
            </Button>
          ))}
        </nav>
      </InHeader>
      <Section name="General">
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
            options={state.agents.map((agent) => ({
              value: agent.name,
              label: agentLabel(agent.name),
              note: agent.description,
            }))}
            onChange={(agentName) => void save({ agentName })}
          />
        </Line>
        <Line name="Folder of new threads">
          {state.folder ? (
            <span className="min-w-0 truncate text-small text-muted" title={state.folder}>
              <span className="font-mono text-code">{state.folder}</span>, as Callboard was started
            </span>
          ) : (
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
          )}
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
        <Retention days={settings.retentionDays} disabled={busy} onSave={(retentionDays) => save({ retentionDays })} />
      </Section>
      <AgentList state={state} />
      <ProviderList state={state} />
      <Toolsets state={state} onSave={save} />
      <McpList servers={state.mcpServers} />
      <AttachList servers={state.attached} />
      <SandboxSection state={state} onSave={save} />
      <Schedules on={settings.toolsets.scheduler ?? false} />
      <Notes />
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
