import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok } from '../../test/fake'
import type { KeyHome } from '../../transport/answers'
import { KeepSelect, useKeyHome } from './KeepSelect'

function Form({ kept }: { kept: string }) {
  const usual = useKeyHome(kept)
  const [home, setHome] = useState<KeyHome>(usual)
  return (
    <>
      <KeepSelect label="Keep the key" value={home} onChange={setHome} />
      <output>{home}</output>
    </>
  )
}

/** The control for a key that is kept somewhere already, or is new, on a system with or without a keychain. */
async function open(keychain: object, kept = '') {
  const app = new App(new FakeTransport().on('GET /studio/state', () => ok({ settings: {}, keychain })))
  await app.studio.refresh()
  render(
    <AppContext value={app}>
      <Form kept={kept} />
    </AppContext>,
  )
  return { home: () => screen.getByRole('status').textContent, control: () => screen.getByRole('combobox') }
}

async function choices(control: HTMLElement) {
  fireEvent.click(control)
  return (await screen.findAllByRole('option')).map((each) => each.textContent)
}

const none = { available: false, reason: 'no Secret Service runs in this session' }

describe('where a key is kept', () => {
  it.each<[string, object, string, string]>([
    ['a new one in the keychain', { available: true }, '', 'keychain'],
    ['a new one in memory where there is no keychain', none, '', 'memory'],
    ['one in a file stays there', { available: true }, 'file', 'file'],
    ['one that is in a keychain stays there though it is gone', none, 'keychain', 'keychain'],
    ['one from the environment goes where a new one goes', none, 'env', 'memory'],
  ])('%s', async (_, keychain, kept, want) => {
    const { home } = await open(keychain, kept)
    expect(home()).toBe(want)
  })

  it('offers the keychain where there is one, and says nothing of it', async () => {
    const { control, home } = await open({ available: true })
    expect(screen.queryByText(/Not in the keychain/)).toBeNull()
    expect(await choices(control())).toEqual([
      'In the keychainThe system’s own: it is there after a restart',
      'Until Callboard closes',
      'In a filekeys.json in the data folder, readable by you alone',
    ])
    const file = screen.getByRole('option', { name: /^In a file/ })
    fireEvent.keyDown(file, { key: 'Enter' })
    fireEvent.click(file)
    await waitFor(() => expect(home()).toBe('file'))
  })

  it('does not offer what cannot be had, and says why', async () => {
    const { control } = await open(none)
    expect(screen.getByText('Not in the keychain: no Secret Service runs in this session.')).toBeTruthy()
    expect((await choices(control())).map((text) => text?.slice(0, 9))).toEqual(['Until Cal', 'In a file'])
  })
})
