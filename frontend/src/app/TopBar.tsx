import Monitor from 'lucide/dist/esm/icons/monitor.mjs'
import Moon from 'lucide/dist/esm/icons/moon.mjs'
import PanelLeft from 'lucide/dist/esm/icons/panel-left.mjs'
import PanelRight from 'lucide/dist/esm/icons/panel-right.mjs'
import Plug from 'lucide/dist/esm/icons/plug.mjs'
import Settings from 'lucide/dist/esm/icons/settings.mjs'
import Sun from 'lucide/dist/esm/icons/sun.mjs'
import Unplug from 'lucide/dist/esm/icons/unplug.mjs'
import Wrench from 'lucide/dist/esm/icons/wrench.mjs'
import { InboxButton } from '../features/inbox/InboxButton'
import { MenuButton } from '../features/menu/MenuButton'
import { PaletteButton } from '../features/palette/PaletteButton'
import { useApp } from '../state/app'
import { useCell } from '../state/cell'
import { messageOf } from '../transport/apiError'
import type { Connection } from '../transport/transport'
import { IconButton } from '../ui/Button'
import { Icon } from '../ui/Icon'
import { toast } from '../ui/toasts'

const themes = {
  system: { icon: Monitor, next: 'light' },
  light: { icon: Sun, next: 'dark' },
  dark: { icon: Moon, next: 'system' },
} as const

interface Props {
  onToggleSidebar: () => void
}

/** The window's name, the connection, and what concerns all of it. */
export function TopBar({ onToggleSidebar }: Props) {
  const app = useApp()
  const connection = useCell(app.connection)
  const theme = useCell(app.studio.cell).state?.settings.theme ?? 'system'
  const route = useCell(app.router.route)
  const { icon, next } = themes[theme]
  const setTheme = () => {
    app.studio.save({ theme: next }).catch((cause: unknown) => toast(messageOf(cause), 'err'))
  }
  return (
    <header className="flex h-10 shrink-0 items-center gap-2 border-b border-border bg-surface px-3">
      {!app.transport.host.menuBar && <MenuButton />}
      <IconButton icon={PanelLeft} label="Show or hide the threads (Ctrl B)" onClick={onToggleSidebar} />
      <img src="/icon.svg" alt="" width={18} height={18} />
      <span className="font-semibold max-sm:sr-only">Callboard</span>
      <span className="flex min-w-0 flex-1 justify-center px-1">
        <PaletteButton />
      </span>
      <ConnectionWord connection={connection} />
      <InboxButton />
      <IconButton icon={Wrench} label="Tools" onClick={() => app.router.go({ kind: 'tools' })} />
      <IconButton icon={icon} label={`Theme: ${theme}. Change to ${next}`} onClick={setTheme} />
      <IconButton icon={Settings} label="Settings (Ctrl ,)" onClick={() => app.setUp.set({ kind: 'settings' })} />
      {route.kind === 'thread' && (
        <IconButton
          icon={PanelRight}
          label="Show or hide the run inspector (Ctrl I)"
          onClick={() => app.inspector.setOpen(!app.inspector.open.get())}
        />
      )}
    </header>
  )
}

function ConnectionWord({ connection }: { connection: Connection }) {
  switch (connection.state) {
    case 'open':
      return (
        <span className="flex items-center gap-1.5 text-small text-ok">
          <Icon node={Plug} size={14} /> connected
        </span>
      )
    case 'connecting':
      return <span className="text-small text-muted">connecting…</span>
    case 'lost':
    case 'refused':
      return (
        <span className="flex items-center gap-1.5 text-small text-err">
          <Icon node={Unplug} size={14} /> {connection.state === 'lost' ? 'connection lost' : 'not let in'}
        </span>
      )
    default:
      connection satisfies never
      return null
  }
}
