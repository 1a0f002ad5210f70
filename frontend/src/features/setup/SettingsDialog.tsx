import { Suspense } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { Dialog } from '../../ui/Dialog'
import { lazily } from '../../ui/lazily'
import { Notice } from '../../ui/Notice'

const Settings = lazily(async () => (await import('./Settings')).default)
const ProviderForm = lazily(async () => (await import('./ProviderForm')).ProviderForm)

const AttachForm = lazily(async () => (await import('./AttachForm')).AttachForm)
const AgentForm = lazily(async () => (await import('./AgentForm')).AgentForm)
const AgentImport = lazily(async () => (await import('./AgentImport')).AgentImport)
const McpForm = lazily(async () => (await import('./McpForm')).McpForm)

/** The settings, or what is set up from them. What stands in the dialog is loaded when it is first opened. */
export function SettingsDialog() {
  const app = useApp()
  const setUp = useCell(app.setUp)
  const { state, fault } = useCell(app.studio.cell)
  if (!setUp) return null
  const close = () => app.setUp.set(undefined)
  if (setUp.kind === 'provider') {
    const { provider, found, mend, within } = setUp
    const back = () => app.setUp.set(within ? { kind: 'settings', section: 'Models' } : undefined)
    return (
      <Dialog open onClose={back} title={provider ? provider.name : 'Connect a model'}>
        <Suspense>
          <ProviderForm provider={provider} found={found} mend={mend} onDone={back} />
        </Suspense>
      </Dialog>
    )
  }
  if (setUp.kind === 'agent') {
    const { name, copy, within } = setUp
    const back = () => app.setUp.set(within ? { kind: 'settings', section: 'Agents' } : undefined)
    return (
      <Dialog wide open onClose={back} title={name ?? (copy ? `A copy of ${copy}` : 'Make an agent')}>
        <Suspense>
          <AgentForm name={name} copy={copy} onDone={back} />
        </Suspense>
      </Dialog>
    )
  }
  if (setUp.kind === 'agentImport') {
    return (
      <Dialog open onClose={close} title="Import an agent">
        <Suspense>
          <AgentImport
            key={setUp.file}
            file={setUp.file}
            onDone={() => app.setUp.set({ kind: 'settings', section: 'Agents' })}
          />
        </Suspense>
      </Dialog>
    )
  }
  if (setUp.kind === 'mcp') {
    const { server, within } = setUp
    const back = () => app.setUp.set(within ? { kind: 'settings', section: 'MCP servers' } : undefined)
    return (
      <Dialog open onClose={back} title={server ? server.name : 'Add an MCP server'}>
        <Suspense>
          <McpForm server={server} onDone={back} />
        </Suspense>
      </Dialog>
    )
  }
  if (setUp.kind === 'attach') {
    const { server, address, name, within } = setUp
    const back = () => app.setUp.set(within ? { kind: 'settings', section: 'Attached servers' } : undefined)
    return (
      <Dialog open onClose={back} title={server ? server.name : 'Attach a server'}>
        <Suspense>
          <AttachForm server={server} address={address} asName={name} onDone={back} />
        </Suspense>
      </Dialog>
    )
  }
  return (
    <Dialog open onClose={close} title="Settings">
      {fault && <Notice tone="err">{fault}</Notice>}
      <Suspense>{state && <Settings state={state} section={setUp.section} />}</Suspense>
    </Dialog>
  )
}
