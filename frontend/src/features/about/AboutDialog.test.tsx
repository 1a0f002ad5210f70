import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok } from '../../test/fake'
import AboutDialog from './AboutDialog'

it('says the version, and copies what to report', async () => {
  const app = new App(new FakeTransport().on('GET /studio/state', () => ok({ version: '9.8.7' })))
  await app.studio.refresh()
  const writeText = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', { ...navigator, userAgent: 'a browser of a test', clipboard: { writeText } })
  render(
    <AppContext value={app}>
      <AboutDialog onClose={() => undefined} />
    </AppContext>,
  )
  expect(screen.getByText('Callboard 9.8.7')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Copy for a report' }))
  await waitFor(() =>
    expect(writeText).toHaveBeenCalledWith(expect.stringMatching(/^Callboard 9\.8\.7\n.*a browser of a test/)),
  )
  vi.unstubAllGlobals()
})
