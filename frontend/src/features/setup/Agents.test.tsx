import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { App, AppContext } from '../../state/app'
import type { SetUp } from '../../state/leads'
import { FakeTransport, ok, refused } from '../../test/fake'
import { SettingsDialog } from './SettingsDialog'

const own = { name: 'mine', description: 'Helps', needsModel: true, missing: ['the tool gone: nobody has it'] }
const spec = { version: 1, name: 'mine', description: 'Helps', tools: ['read_file'], approvals: { read_file: 'never' } }

/** A dialog of a studio with one agent of one's own, and what it was sent. */
async function open(setUp: SetUp, routes: (transport: FakeTransport) => void = () => undefined) {
  const transport = new FakeTransport()
  transport.on('GET /studio/state', () =>
    ok({
      settings: { toolsets: {} },
      agents: [{ name: 'workspace', description: 'Works', needsModel: true, builtIn: true }, own],
    }),
  )
  transport.on('GET /studio/agents/demo', () => ok({ tools: ['read_file', 'run_command'] }))
  transport.on('GET /studio/agents/mine', () => ok(spec))
  transport.on('GET /tools', () => ok({ tools: [{ name: 'read_file', description: 'Reads', parameters: {} }] }))
  transport.on('GET /studio/rules', () => ok({ rules: [] }))
  transport.on('GET /studio/schedules', () => ok({ schedules: [] }))
  transport.on('GET /studio/notes', () => ok({ notes: [] }))
  routes(transport)
  const app = new App(transport)
  await app.studio.refresh()
  app.setUp.set(setUp)
  render(
    <AppContext value={app}>
      <SettingsDialog />
    </AppContext>,
  )
  const sent = (method: string) => transport.asked.filter((each) => each.method === method)
  return { app, transport, sent }
}

const write = (name: string | RegExp, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))

describe('the form of an agent', () => {
  it('changes one: what is not in the form stays, and its name too', async () => {
    const { app, sent } = await open({ kind: 'agent', name: 'mine' }, (transport) =>
      transport.on('PUT /studio/agents/mine', ({ body }) => ok(body ?? '')),
    )
    await screen.findByRole('checkbox', { name: 'run_command' })
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
    fireEvent.click(screen.getByRole('checkbox', { name: 'run_command' }))
    fireEvent.click(screen.getByRole('checkbox', { name: 'Hands over to workspace' }))
    write('Turns of a run', '9')
    press('Save')
    await waitFor(() => expect(app.setUp.get()).toBeUndefined())
    expect(JSON.parse(sent('PUT')[0]?.body ?? '')).toMatchObject({
      ...spec,
      tools: ['read_file', 'run_command'],
      handoffs: ['workspace'],
      maxTurns: 9,
    })
  })

  it('leaves alone what another window changed meanwhile', async () => {
    const { app, transport, sent } = await open({ kind: 'agent', name: 'mine' })
    transport.on('PUT /studio/agents/mine', ({ body }) => ok(body ?? ''))
    await screen.findByRole('checkbox', { name: 'run_command' })
    write('Turns of a run', '9')
    transport.on('GET /studio/agents/mine', () => ok({ ...spec, description: 'Changed elsewhere', maxTurns: 5 }))
    press('Save')
    await waitFor(() => expect(app.setUp.get()).toBeUndefined())
    expect(JSON.parse(sent('PUT')[0]?.body ?? '')).toMatchObject({ description: 'Changed elsewhere', maxTurns: 9 })
  })

  it('stays open with what was written when the server refuses it', async () => {
    const { app } = await open({ kind: 'agent' }, (transport) =>
      transport.on('POST /studio/agents', () => refused(409, 'NAME_TAKEN', 'there is an agent "mine" already')),
    )
    await screen.findByRole('textbox', { name: 'Name' })
    const name = screen.getByRole('textbox', { name: 'Name' })
    const said = () => document.getElementById(name.getAttribute('aria-describedby') ?? '')?.textContent
    screen.getByRole('button', { name: 'Make the agent' }).focus()
    press('Make the agent')
    await waitFor(() => expect(document.activeElement).toBe(name))
    expect([name.getAttribute('aria-invalid'), said()]).toEqual(['true', 'It needs a name.'])
    write('Name', 'mine')
    expect(name.getAttribute('aria-invalid')).toBeNull()
    press('Make the agent')
    await waitFor(() => expect(said()).toBe('there is an agent "mine" already'))
    expect(name).toHaveProperty('value', 'mine')
    expect(app.setUp.get()).toBeDefined()
  })

  it('shows a limit that cannot be at its field, which gets the focus, with the buttons in the footer', async () => {
    const { sent } = await open({ kind: 'agent', name: 'mine' })
    await screen.findByRole('textbox', { name: 'Turns of a run' })
    write('Turns of a run', '-3')
    press('Save')
    const field = screen.getByRole('textbox', { name: 'Turns of a run' })
    await waitFor(() => expect(document.activeElement).toBe(field))
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('At least 1.')
    expect(sent('PUT')).toEqual([])
    expect(screen.getByRole('button', { name: 'Save' }).closest('footer')).not.toBeNull()
  })

  it('has one stop for the Tab key among the tools, and the arrows go on', async () => {
    await open({ kind: 'agent', name: 'mine' })
    const first = await screen.findByRole('checkbox', { name: 'read_file' })
    const second = screen.getByRole('checkbox', { name: 'run_command' })
    expect([first.tabIndex, second.tabIndex]).toEqual([0, -1])
    first.focus()
    fireEvent.keyDown(first, { key: 'ArrowDown' })
    expect(document.activeElement).toBe(second)
    expect([first.tabIndex, second.tabIndex]).toEqual([-1, 0])
  })

  it('begins a copy under a name that is free', async () => {
    await open({ kind: 'agent', copy: 'mine' })
    expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'mine copy')
  })
})

it('the list says what an agent works without, and offers to change none that is built in', async () => {
  await open({ kind: 'settings' })
  expect(await screen.findByText('It works without the tool gone: nobody has it.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Edit workspace' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete workspace' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Copy workspace' })).toBeTruthy()
})

describe('an import', () => {
  const preview = { agent: spec, free: 'mine 2', model: 'the model of the thread', missing: ['the tool far: nobody'] }

  it('takes a free name where the file’s is taken, and replaces only when told to', async () => {
    const { sent } = await open({ kind: 'agentImport', file: '{"x":1}' }, (transport) => {
      transport.on('POST /studio/agents/preview', ({ body }) => {
        const { name } = JSON.parse(body ?? '')
        return ok({ ...preview, taken: name === '' || name === 'mine' })
      })
      transport.on('POST /studio/agents/import', () => ok(spec))
    })
    expect(await screen.findByDisplayValue('mine 2')).toBeTruthy()
    expect(screen.getByText('read_file: never asks you')).toBeTruthy()
    expect(screen.getByText(/it works without: the tool far: nobody/)).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Replace/ })).toBeNull())
    write('Name', 'mine')
    press(await screen.findByRole('button', { name: 'Replace mine' }).then(({ textContent }) => textContent ?? ''))
    await waitFor(() => expect(sent('POST').at(-1)?.path).toBe('/studio/agents/import'))
    const settings = await screen.findByRole('dialog', { name: 'Settings' })
    expect(settings.contains(document.activeElement)).toBe(true)
    expect(JSON.parse(sent('POST').at(-1)?.body ?? '')).toEqual({ text: '{"x":1}', name: 'mine', replace: true })
  })

  it('of what is no agent says why, and takes another file', async () => {
    await open({ kind: 'agentImport', file: 'x' }, (transport) =>
      transport.on('POST /studio/agents/preview', ({ body }) =>
        JSON.parse(body ?? '').text === 'x' ? refused(400, 'INVALID_INPUT', 'this is no agent’s file') : ok(preview),
      ),
    )
    expect(await screen.findByText('this is no agent’s file')).toBeTruthy()
    press('Choose another file…')
    const input = document.querySelector<HTMLInputElement>('input[type=file]')
    if (!input) throw new Error('no file is asked for')
    const file = Object.assign(new File([], 'a.json'), { text: () => Promise.resolve('{}') }) // jsdom's has no text
    fireEvent.change(input, { target: { files: [file] } })
    expect(await screen.findByDisplayValue(preview.agent.name)).toBeTruthy()
    expect(screen.queryByText('this is no agent’s file')).toBeNull()
  })
})
