import { useEffect } from 'react'
import { pickAgentFile } from '../../features/setup/agentFile'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { commandTable } from '../../state/keyTable'
import { useCommand } from '../../state/useCommand'
import type { Settings } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { dialogOpen } from '../../ui/overlay'
import { toast } from '../../ui/toasts'
import { useZoom } from '../useZoom'

/** How the name of a command begins that goes to a section of the settings. */
const inSettings = 'Settings: '

/** The commands of the window as a whole, and its keys. It draws nothing. */
export function WindowCommands({ onToggleSidebar }: { onToggleSidebar: () => void }) {
  const app = useApp()
  const over = useCell(app.over)
  const { state } = useCell(app.studio.cell)
  const theme = state?.settings.theme
  const setTheme = (next: Settings['theme']) => {
    app.studio.save({ theme: next }).catch((cause: unknown) => toast(messageOf(cause), 'err'))
  }
  const toggle = (which: 'palette' | 'keyboard') => app.over.update((shown) => (shown === which ? undefined : which))
  useCommand('palette', () => toggle('palette'), { inDialog: over === 'palette' })
  useCommand('keyboard', () => toggle('keyboard'), { inDialog: over === 'keyboard' })
  useCommand('search', () => app.search())
  useCommand('about', () => app.over.set('about'))
  useCommand('licences', () => app.over.set('licences'))
  useCommand('readme', () => app.over.set('readme'))
  useCommand('new-thread', () => app.router.go({ kind: 'new' }))
  useCommand('open-demo', () => app.openDemo(), { off: state?.overrideLabel !== undefined })
  useCommand('tools', () => app.router.go({ kind: 'tools' }))
  useCommand('threads', onToggleSidebar)
  useCommand('settings', () => app.setUp.set({ kind: 'settings' }))
  useCommand('import', () => app.share.set({ kind: 'import' }))
  useCommand('connect', () => app.setUp.set({ kind: 'provider' }))
  useCommand('attach', () => app.setUp.set({ kind: 'attach' }))
  useCommand('make-agent', () => app.setUp.set({ kind: 'agent' }))
  useCommand('add-mcp', () => app.setUp.set({ kind: 'mcp' }))
  useEffect(() => {
    const ends = commandTable
      .filter(({ name }) => name.startsWith(inSettings))
      .map(({ id, name }) =>
        app.commands.lend(id, () => app.setUp.set({ kind: 'settings', section: name.slice(inSettings.length) })),
      )
    return () => {
      for (const end of ends) end()
    }
  }, [app])
  useCommand('import-agent', () => pickAgentFile(app))
  useCommand('theme-light', () => setTheme('light'), { off: theme === 'light' })
  useCommand('theme-dark', () => setTheme('dark'), { off: theme === 'dark' })
  useCommand('theme-system', () => setTheme('system'), { off: theme === 'system' })
  useZoom(app.transport.host.zoom)
  useCommand('quit', () => app.transport.host.closing?.close(), { off: !app.transport.host.closing, inDialog: true })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      if (app.commands.press(event, dialogOpen())) event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [app])
  return null
}
