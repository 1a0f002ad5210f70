import { render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { App } from '../state/app'
import { boundWindow } from '../test/bound'
import { FakeTransport } from '../test/fake'
import type { MenuBarEntry } from '../transport/transport'
import { Dialog } from '../ui/Dialog'
import { Toaster } from '../ui/Toaster'
import { useMenuBar } from './useMenuBar'

type Menus = { name: string; parts: MenuBarEntry[][] }[]

function Page({ app, dialog = false }: { app: App; dialog?: boolean }) {
  useMenuBar(app)
  return (
    <Toaster>
      <Dialog open={dialog} onClose={() => undefined} title="In the way">
        …
      </Dialog>
    </Toaster>
  )
}

/** A page in the window of a Mac, whose menu bar is read as it was shown last. */
function onAMac() {
  vi.stubGlobal('navigator', { ...navigator, platform: 'MacIntel' })
  const bound = boundWindow()
  const transport = new FakeTransport()
  Object.assign(transport.host, bound.host)
  const app = new App(transport)
  const view = render(<Page app={app} />)
  const shown = async () => {
    await waitFor(() => expect(bound.app.SetMenu).toHaveBeenCalled())
    return (bound.app.SetMenu.mock.lastCall as unknown as [Menus])[0]
  }
  return { ...bound, app, shown, openDialog: () => view.rerender(<Page app={app} dialog />) }
}

const entryOf = (menus: Menus, id: string) => menus.flatMap(({ parts }) => parts.flat()).find((each) => each.id === id)

afterEach(() => vi.unstubAllGlobals())

it('shows the menus in the bar of a Mac, without Quit and with the keys that act anywhere', async () => {
  const { shown } = onAMac()
  const menus = await shown()
  expect(menus.map(({ name }) => name)).toEqual(['File', 'View', 'Run', 'Help'])
  expect(menus.every(({ parts }) => parts.every((part) => part.length > 0))).toBe(true)
  expect(entryOf(menus, 'quit')).toBeUndefined()
  expect(entryOf(menus, 'settings')).toMatchObject({ name: 'Settings', key: 'Ctrl+,', enabled: false })
  expect(entryOf(menus, 'approve')).toMatchObject({ name: 'Approve the row', key: undefined })
  expect(entryOf(menus, 'stop')?.key).toBeUndefined()
})

it('follows what can be done, and runs what was chosen', async () => {
  const { app, emit, shown } = onAMac()
  const settings = vi.fn()
  app.commands.lend('settings', settings)
  await waitFor(async () => expect(entryOf(await shown(), 'settings')?.enabled).toBe(true))
  emit('menu', 'settings')
  emit('menu', 'no such command')
  expect(settings).toHaveBeenCalledOnce()
  // The bar takes the key, and tells of it as of a choice.
  expect(app.commands.press(new KeyboardEvent('keydown', { key: ',', metaKey: true }), false)).toBe(false)
})

it('says that a dialog is in the way', async () => {
  const { app, emit, shown, openDialog } = onAMac()
  await shown()
  const settings = vi.fn()
  app.commands.lend('settings', settings)
  openDialog()
  emit('menu', 'settings')
  expect(settings).not.toHaveBeenCalled()
  expect(await screen.findAllByText('Close the dialog first, then choose Settings.')).not.toHaveLength(0)
})
