import Menu from 'lucide/dist/esm/icons/menu.mjs'
import { lazy, Suspense, useRef, useState } from 'react'
import { useCommand } from '../../state/useCommand'
import { IconButton } from '../../ui/Button'

const WindowMenu = lazy(() => import('./WindowMenu'))

/** The button of the window's menu. What is in the menu is loaded when it is first asked for. */
export function MenuButton() {
  const [wanted, setWanted] = useState(false)
  const [open, setOpen] = useState(false)
  const before = useRef<HTMLElement>(undefined)
  const change = (next: boolean) => {
    if (next) setWanted(true)
    setOpen(next)
  }
  useCommand('menu', () => {
    before.current = document.activeElement instanceof HTMLElement ? document.activeElement : undefined
    change(!open)
  })
  const button = (
    <IconButton
      icon={Menu}
      label="Menu (F10)"
      aria-haspopup="menu"
      aria-expanded={open}
      onClick={() => {
        before.current = undefined
        if (!wanted) change(true)
      }}
    />
  )
  if (!wanted) return button
  return (
    <Suspense fallback={button}>
      <WindowMenu open={open} onOpenChange={change} trigger={button} focusBefore={() => before.current} />
    </Suspense>
  )
}
