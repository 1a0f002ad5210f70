import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import axe from 'axe-core'
import { expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import type { Attached } from '../../transport/attached'
import { AttachForm } from './AttachForm'

const weather: Attached = {
  name: '127.0.0.1:4830',
  url: 'http://127.0.0.1:4830',
  hasToken: false,
  tokenKept: '',
  state: 'ready',
  version: '',
  base: false,
  agents: ['weather'],
  tools: ['get_weather'],
}

interface Options {
  server?: Attached
  address?: string
  attached?: Attached[]
  keychain?: boolean
}

/** The form, in a studio to which these servers are attached. */
async function form({ server, address, attached = [], keychain = false }: Options = {}) {
  const transport = new FakeTransport()
  transport.on('GET /studio/state', () => ok({ attached, keychain: { available: keychain, reason: 'there is none' } }))
  const app = new App(transport)
  await app.studio.refresh()
  const onDone = vi.fn<() => void>()
  render(
    <AppContext value={app}>
      <AttachForm server={server} address={address} onDone={onDone} />
    </AppContext>,
  )
  const sent = () =>
    transport.asked
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => ({ what: `${method} ${path}`, body: JSON.parse(body ?? 'null') }))
  return { app, transport, onDone, sent }
}

const type = (name: string, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

/** Waits until a field is said to be wrong, in these words. */
async function wrong(name: string, words: RegExp) {
  await screen.findByText(words)
  expect(screen.getByLabelText(name).getAttribute('aria-invalid')).toBe('true')
}

const path = '/studio/attached/127.0.0.1%3A4830'

it('attaches a server under the name of its address, and begins a thread with its first agent', async () => {
  const { app, transport, sent } = await form()
  transport.on(`PUT ${path}`, () => ok(weather))
  transport.on(`POST ${path}/test`, () => ok({ ok: true, server: weather }))
  type('Address', ' 127.0.0.1:4830 ')
  type('Token', 'sesame')
  press('Attach')
  expect((await screen.findByRole('status')).textContent).toBe('Works: it has 1 agent and 1 tool.')
  expect(sent()).toEqual([
    { what: `PUT ${path}`, body: { url: '127.0.0.1:4830', keepToken: 'memory', token: 'sesame' } },
    { what: `POST ${path}/test`, body: null },
  ])
  expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('')
  expect(screen.getByLabelText<HTMLInputElement>('Address').value).toBe('http://127.0.0.1:4830')
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } })
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
  press('New thread with weather')
  expect(app.newChoice.get()).toEqual({ agentName: 'weather@127.0.0.1:4830' })
  expect(app.router.route.get()).toEqual({ kind: 'new' })
})

it.each([
  ['', 'Address', /It needs an address/],
  ['http://', 'Address', /is no address/],
  ['127.0.0.1:4830', 'Name', /is attached already/],
])('sends nothing for the address “%s”, and says why', async (url, field, words) => {
  const { sent } = await form({ attached: [weather] })
  type('Address', url)
  press('Attach')
  await wrong(field, words)
  expect(sent()).toEqual([])
  expect(screen.getByLabelText<HTMLInputElement>('Address').value).toBe(url)
})

it('keeps what was typed where the server is refused', async () => {
  const { transport } = await form()
  transport.on(`PUT ${path}`, () => refused(400, 'INVALID_INPUT', 'url: that is none'))
  type('Address', '127.0.0.1:4830')
  type('Token', 'sesame')
  press('Attach')
  await wrong('Address', /^That is none\.$/)
  expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('sesame')
  expect(screen.getByRole('button', { name: 'Attach' })).toBeTruthy()
})

it('says what is wrong with a server that is attached, and tries again what is corrected', async () => {
  const { transport, sent } = await form()
  const failed = { ...weather, state: 'failed', agents: [], tools: [] }
  transport.on(`PUT ${path}`, () => ok(failed))
  transport.on(`POST ${path}/test`, () => ok({ ok: false, server: failed, error: 'it does not take the token' }))
  type('Address', '127.0.0.1:4830')
  press('Attach')
  expect((await screen.findByRole('status')).textContent).toBe('Failed: it does not take the token')
  expect(screen.queryByLabelText('Name')).toBeNull() // it has one now
  transport.on(`POST ${path}/test`, () => ok({ ok: true, server: weather }))
  type('Token', 'sesame')
  press('Save and test')
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Works'))
  expect(sent().map(({ what }) => what.split(' ')[0])).toEqual(['PUT', 'POST', 'PUT', 'POST'])
})

it.each([
  ['a new one, in the keychain where there is one', undefined, true, 'keychain'],
  ['a new one, in memory where there is none', undefined, false, 'memory'],
  ['one that has a token, where that is', { ...weather, hasToken: true, tokenKept: 'file' as const }, true, 'file'],
])('keeps the token of %s', async (_, server, keychain, home) => {
  const { transport, sent } = await form({ server, keychain })
  transport.on(`PUT ${path}`, () => ok(weather))
  transport.on(`POST ${path}/test`, () => ok({ ok: true, server: weather }))
  if (!server) type('Address', '127.0.0.1:4830')
  press(server ? 'Save and test' : 'Attach')
  await screen.findByRole('status')
  expect(sent()[0]?.body.keepToken).toBe(home)
})

it('asks before a link attaches a server', async () => {
  const { sent } = await form({ address: 'http://10.0.0.9:4830' })
  expect(document.body.textContent).toContain('Nothing is sent to it before you press Attach.')
  expect(screen.getByLabelText<HTMLInputElement>('Address').value).toBe('http://10.0.0.9:4830')
  expect(sent()).toEqual([])
})

it('names a dozen of many tools, and says how many more there are', async () => {
  const { transport } = await form()
  const tools = Array.from({ length: 311 }, (_, i) => `t${i}`)
  transport.on(`PUT ${path}`, () => ok(weather))
  transport.on(`POST ${path}/test`, () => ok({ ok: true, server: { ...weather, tools } }))
  type('Address', 'http://127.0.0.1:4830')
  press('Attach')
  expect(await screen.findByText(/^t0, t1, .* t11 and 299 more$/)).toBeTruthy()
  expect(screen.getByRole('status').textContent).toBe('Works: it has 1 agent and 311 tools.')
})
