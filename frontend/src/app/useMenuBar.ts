import { useEffect } from 'react'
import type { App } from '../state/app'
import { useCell } from '../state/cell'
import { commandTable } from '../state/keyTable'
import { type MenuEntry, menusNow } from '../state/menuTable'
import type { MenuBarEntry } from '../transport/transport'
import { dialogOpen } from '../ui/overlay'
import { toast } from '../ui/toasts'

/** Shows the window's menus in the system's menu bar, where there is one, as what can be done changes. */
export function useMenuBar(app: App): void {
  const { commands } = app
  const { menuBar } = app.transport.host
  const version = useCell(commands.version)
  useEffect(() => {
    return menuBar?.onChosen((chosen) => {
      const command = commandTable.find(({ id }) => id === chosen)
      if (!command) return
      const open = dialogOpen()
      if (!commands.choose(command.id, open) && open) toast(`Close the dialog first, then choose ${command.name}.`)
    })
  }, [menuBar, commands])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that what can be run changed
  useEffect(() => {
    if (!menuBar) return
    // Parts of the window lend their commands one after the other: the bar is built once for all of them.
    const timer = setTimeout(() => {
      const menus = menusNow(commands).map(({ name, parts }) => ({
        name,
        // The menu that bears the program's name has Quit in it.
        parts: parts
          .map((part) => part.filter(({ id }) => id !== 'quit').map(barEntry))
          .filter((part) => part.length > 0),
      }))
      menuBar.show(menus)
      commands.leaveToBar(menus.flatMap(({ parts }) => parts.flat().flatMap(({ key }) => key ?? [])))
    })
    return () => clearTimeout(timer)
  }, [menuBar, commands, version])
}

function barEntry({ id, name, key, anywhere, enabled, checked }: MenuEntry): MenuBarEntry {
  return { id, name, key: anywhere ? key : undefined, enabled, checked }
}
