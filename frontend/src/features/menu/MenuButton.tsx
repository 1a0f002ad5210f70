import Menu from 'lucide/dist/esm/icons/menu.mjs'
import { Suspense, useRef, useState } from 'react'
import { useCommand } from '../../state/useCommand'
import { IconButton } from '../../ui/Button'
import { lazily } from '../../ui/lazily'
import { toast } from '../../ui/toasts'

const WindowMenu = lazily(async () => (await import('./WindowMenu')).default)

/** The button of the window's menu. What is in the menu is loaded when it is first asked for. */
export function MenuButton() {
  const [wanted, setWanted] = useState(false)
  const [open, setOpen] = useState(false)
  const before = useRef<HTMLElement>(undefined)
  const change = async (next: boolean) => {
    if (next && !(await WindowMenu.load()))
      return toast('The menu could not be loaded: try again once the connection is back', 'err')
    if (next) setWanted(true)
    setOpen(next)
  }
  useCommand('menu', () => {
    before.current = document.activeElement instanceof HTMLElement ? document.activeElement : undefined
    void change(!open)
  })
  const button = (
    <IconButton
      icon={Menu}
      label="Menu (F10)"
      aria-haspopup="menu"
      aria-expanded={open}
      onClick={() => {
        before.current = undefined
        if (!wanted) void change(true)
      }}
    />
  )
  if (!wanted) return button
  return (
    <Suspense fallback={button}>
      <WindowMenu
        open={open}
        onOpenChange={(next) => void change(next)}
        trigger={button}
        focusBefore={() => before.current}
      />
    </Suspense>
  )
}
