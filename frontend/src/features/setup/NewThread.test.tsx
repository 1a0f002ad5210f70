import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok } from '../../test/fake'
import { Toaster } from '../../ui/Toaster'
import { NewThread } from './NewThread'

const model = { id: 'p1', name: 'Local', baseUrl: 'http://127.0.0.1:1/v1', model: 'm-1', models: ['m-1'], keyKept: '' }

/** The page of a new thread, in a Studio of which state says what is not as on a fresh machine. */
async function page(state: object = {}) {
  const transport = new FakeTransport()
  const agents = [
    { name: 'demo', description: 'Plays.', needsModel: false },
    { name: 'workspace', description: 'Works.', needsModel: true, needsFolder: true },
  ]
  const settings = { theme: 'system', agentName: 'demo' }
  const fresh = { version: '1', agents, providers: [], found: [], settings, demoMessage: 'Move the port.' }
  transport.on('GET /studio/state', () => ok({ ...fresh, ...state }))
  transport.on('GET /threads', () => ok({ threads: [] }))
  transport.on('GET /approvals', () => ok({ approvals: [] }))
  transport.on('GET /studio/folders', () => ok({ path: '/home/ann', parent: '/home', entries: [], error: '' }))
  transport.on('POST /studio/threads', ({ body }) => ok({ id: 't1', ...JSON.parse(body ?? '') }))
  transport.on('POST /agents/demo/runs', () => ok({ runId: 'r1', threadId: 't1' }))
  transport.on('POST /agents/workspace/runs', () => ok({ runId: 'r1', threadId: 't1' }))
  transport.on('PUT /studio/settings', ({ body }) => ok({ ...settings, ...JSON.parse(body ?? '') }))
  const app = new App(transport)
  app.start()
  await waitFor(() => expect(app.threads.state.get().phase).toBe('ready'))
  render(
    <AppContext value={app}>
      <Toaster>
        <NewThread />
      </Toaster>
    </AppContext>,
  )
  await screen.findByRole('textbox', { name: 'Message' })
  const sent = () => transport.asked.filter(({ method }) => method === 'POST').map((each) => each.body)
  const draft = app.drafts.of('new')
  const choose = (agentName: string) => act(() => app.newChoice.set({ agentName }))
  const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
  return { app, transport, sent, draft, choose, press }
}

describe('a first thread', () => {
  it('has the demo’s message typed, and takes it back for an agent with a model', async () => {
    const { draft, choose } = await page()
    expect(draft.get()).toBe('Move the port.')
    choose('workspace')
    expect(draft.get()).toBe('')
    choose('demo')
    expect(draft.get()).toBe('Move the port.')
    act(() => draft.set('Move the port. Now.'))
    choose('workspace')
    expect(draft.get()).toBe('Move the port. Now.')
  })

  it('says what Callboard does, and apart from it what the agent does', async () => {
    const { choose } = await page()
    choose('workspace')
    expect(screen.getByText('Works.')).toBeDefined()
    expect(screen.getByText(/approve what needs approving\.$/)).toBeDefined()
  })

  it('plays the demo from its card', async () => {
    const { app, sent, draft, press } = await page()
    press(/^Try the demo/)
    await waitFor(() => expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't1' }))
    expect(sent()).toEqual(['{"agentName":"demo"}', '{"input":"Move the port.","threadId":"t1"}'])
    await waitFor(() => expect(draft.get()).toBe(''))
  })

  it('begins with an agent of a server that is attached, from its card', async () => {
    const server = '127.0.0.1:4830'
    const agents = ['demo', `weather@${server}`, `sea@${server}`].map((name) => ({
      name,
      needsModel: false,
      server: name === 'demo' ? '' : server,
    }))
    const attached = [{ name: server, url: `http://${server}`, state: 'ready', agents: ['weather', 'sea'], tools: [] }]
    const { draft, press } = await page({ agents, attached })
    expect(screen.queryByRole('button', { name: /^New thread with sea/ })).toBeNull()
    press(/^New thread with weather/)
    expect(screen.getByRole('combobox', { name: 'Agent' }).textContent).toContain(`weather@${server}`)
    expect(draft.get()).toBe('')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' }))
  })

  it('promises no demo where flags set a model', async () => {
    const { draft } = await page({ override: { label: 'script x.json' } })
    expect(draft.get()).toBe('')
    expect(screen.getByRole('main').textContent).toContain('Callboard was started with script x.json')
    expect(screen.getByRole('main').textContent).not.toMatch(/demo is ready|Try the demo/)
  })
})

describe('a message that lacks something', () => {
  it('is kept while a model is asked for', async () => {
    const { app, sent, draft, choose, press } = await page()
    choose('workspace')
    act(() => draft.set('Fix it.'))
    press('Send')
    await waitFor(() => expect(app.setUp.get()).toEqual({ kind: 'provider' }))
    expect([draft.get(), sent()]).toEqual(['Fix it.', []])
  })

  it('is kept while a folder is asked for, and goes with the one that is chosen', async () => {
    const { sent, draft, choose, press } = await page({ providers: [model] })
    choose('workspace')
    act(() => draft.set('Fix it.'))
    press('Send')
    await screen.findByRole('dialog', { name: 'Choose a folder' })
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Use this folder' })).toHaveProperty('disabled', false),
    )
    press('Cancel')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect([draft.get(), sent()]).toEqual(['Fix it.', []])

    // A press that falls into the end of the closing is lost.
    await waitFor(() => {
      if (!screen.queryByRole('dialog')) press('Send')
      expect(screen.getByText('No folders in here')).toBeTruthy()
    })
    press('Use this folder')
    await waitFor(() => expect(draft.get()).toBe(''))
    expect(sent()).toEqual(['{"agentName":"workspace","folder":"/home/ann"}', '{"input":"Fix it.","threadId":"t1"}'])
  })
})

describe('the folder that was chosen last', () => {
  it('is offered, and goes with the message', async () => {
    const { sent, draft, choose, press } = await page({ providers: [model], lastFolder: '/home/ann/src/port' })
    choose('workspace')
    act(() => draft.set('Fix it.'))
    expect(screen.getByText('No folder chosen')).toBeDefined()
    press('Use …/src/port')
    expect(screen.getByTitle('/home/ann/src/port').textContent).toBe('/home/ann/src/port')
    press('Send')
    await waitFor(() => expect(draft.get()).toBe(''))
    expect(sent()[0]).toBe('{"agentName":"workspace","folder":"/home/ann/src/port"}')
  })

  it('is where the next choice begins, in the page and in the system’s dialog', async () => {
    const { app, transport, choose, press } = await page({ providers: [model], lastFolder: '/home/ann/src/port' })
    choose('workspace')
    press('Choose…')
    await waitFor(() =>
      expect(transport.asked.map(({ path }) => path)).toContain('/studio/folders?path=%2Fhome%2Fann%2Fsrc%2Fport'),
    )
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Use this folder' })).toHaveProperty('disabled', false),
    )
    press('Use this folder')
    await waitFor(() => expect(app.studio.cell.get().state?.lastFolder).toBe('/home/ann'))

    const begun: string[] = []
    transport.host.pickFolder = async (start) => {
      begun.push(start)
      return ''
    }
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    press('Reset')
    press('Choose…')
    await waitFor(() => expect(begun).toEqual(['/home/ann']))
  })
})

describe('a model that was connected', () => {
  it('is that of new threads, and of the agent that answers next', async () => {
    const { app, transport } = await page({ providers: [model] })
    await act(() => app.connected('p1'))
    const put = transport.asked.find(({ method }) => method === 'PUT')
    expect(put?.body).toBe('{"providerId":"p1","model":"","agentName":"workspace"}')
    expect(screen.getByRole('combobox', { name: 'Agent' }).textContent).toContain('workspace')
    expect(screen.getByRole('combobox', { name: 'Model' }).textContent).toContain('Default (m-1)')
  })

  it('leaves another agent that needs a model as it is', async () => {
    const { app, transport } = await page({ settings: { theme: 'dark', agentName: 'workspace' } })
    await act(() => app.connected('p1'))
    expect(transport.asked.find(({ method }) => method === 'PUT')?.body).toBe('{"providerId":"p1","model":""}')
  })
})
