import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { boundWindow } from '../../test/bound'
import { FakeTransport, ok } from '../../test/fake'
import { Toaster } from '../../ui/Toaster'
import AboutDialog from './AboutDialog'

const state = { version: '9.8.7', revision: '0123456789ab', dataFolder: '/home/ada/callboard' }

async function about(host: Partial<App['transport']['host']> = {}) {
  const transport = new FakeTransport().on('GET /studio/state', () => ok(state))
  Object.assign(transport.host, host)
  const app = new App(transport)
  await app.studio.refresh()
  const writeText = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', { ...navigator, userAgent: 'a browser of a test', clipboard: { writeText } })
  render(
    <AppContext value={app}>
      <Toaster>
        <AboutDialog onClose={() => undefined} />
      </Toaster>
    </AppContext>,
  )
  return writeText
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

it('says the version and its revision, and copies what to report, which names no folder', async () => {
  const writeText = await about()
  expect(screen.getByText('Callboard 9.8.7')).toBeTruthy()
  expect(screen.getByText('Built from 0123456789ab')).toBeTruthy()
  press('Copy for a report')
  await waitFor(() =>
    expect(writeText).toHaveBeenCalledWith(
      expect.stringMatching(/^Callboard 9\.8\.7 \(0123456789ab\)\n.*a browser of a test/),
    ),
  )
  expect(writeText).not.toHaveBeenCalledWith(expect.stringContaining('/home'))
  vi.unstubAllGlobals()
})

it('copies the path of the data folder in a browser, which cannot open it', async () => {
  const writeText = await about()
  press('Copy path')
  await waitFor(() => expect(writeText).toHaveBeenCalledWith('/home/ada/callboard'))
  expect(screen.queryByRole('button', { name: 'Open' })).toBeNull()
  vi.unstubAllGlobals()
})

it('opens the data folder from the window, and says why it did not', async () => {
  const { app, host } = boundWindow()
  await about(host)
  press('Open')
  expect(app.OpenDataFolder).toHaveBeenCalledOnce()
  app.OpenDataFolder.mockRejectedValueOnce('open /home/ada/callboard in a file manager: there is none')
  press('Open')
  expect(await screen.findAllByText('open /home/ada/callboard in a file manager: there is none.')).not.toHaveLength(0)
  vi.unstubAllGlobals()
})
