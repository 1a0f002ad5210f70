import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import { toasts } from '../../ui/toasts'
import { SettingsDialog } from './SettingsDialog'

const settings = {
  theme: 'system',
  agentName: 'demo',
  toolsets: { memory: true, browser: false },
  browserHosts: ['localhost:3000'],
  allowNativeFallback: true,
  retentionDays: 0,
}

const first = { id: 'sch_1', threadId: 't 1', threadTitle: 'Nightly', agentName: 'workspace', message: 'Look at it' }

/** The settings of a studio that takes every change, and what it was sent. */
async function open(routes: (transport: FakeTransport) => void = () => undefined) {
  vi.spyOn(toasts, 'add')
  const transport = new FakeTransport()
  let now: object = settings
  transport.on('GET /studio/state', () =>
    ok({
      settings: now,
      toolsets: [
        { name: 'memory', description: 'Keeps notes', tools: ['remember', 'recall'] },
        { name: 'browser', description: 'Opens pages', tools: ['browser_open'], fault: 'there is no Chromium' },
      ],
      sandbox: { docker: { available: false, reason: 'no socket' }, wasm: true },
    }),
  )
  transport.on('PUT /studio/settings', ({ body }) => {
    const change = JSON.parse(body ?? '{}')
    now = { ...now, ...change, toolsets: { ...settings.toolsets, ...change.toolsets } }
    return ok(now)
  })
  transport.on('GET /studio/rules', () => ok({ rules: [] }))
  transport.on('GET /studio/schedules', () => ok({ schedules: [] }))
  transport.on('GET /studio/notes', () => ok({ notes: [] }))
  routes(transport)
  const app = new App(transport)
  await app.studio.refresh()
  app.setUp.set({ kind: 'settings' })
  render(
    <AppContext value={app}>
      <SettingsDialog />
    </AppContext>,
  )
  await screen.findByRole('region', { name: 'General' })
  const saved = () => transport.asked.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body ?? ''))
  return { app, transport, saved }
}

/** Waits until a toast says it. */
const toasted = (title: string) =>
  waitFor(() => expect(vi.mocked(toasts.add)).toHaveBeenCalledWith(expect.objectContaining({ title, type: 'err' })))

const section = (name: string) => within(screen.getByRole('region', { name }))
const asked = (transport: FakeTransport, path: string) => transport.asked.filter((each) => each.path === path).length

describe('the tool sets', () => {
  it('say what they offer and why one cannot work, and are switched one by one', async () => {
    const { saved } = await open()
    const sets = section('Tool sets')
    expect(sets.getByText('remember, recall')).toBeTruthy()
    expect(sets.getByText('It cannot work here: there is no Chromium')).toBeTruthy()
    fireEvent.click(sets.getByRole('checkbox', { name: 'browser: on' }))
    await waitFor(() => expect(sets.getByRole('checkbox', { name: 'browser: on' })).toHaveProperty('checked', true))
    expect(sets.getByRole('checkbox', { name: 'memory: on' })).toHaveProperty('checked', true)
    expect(saved()).toEqual([{ toolsets: { browser: true } }])
  })

  it('keep a host that was refused where it was typed, with the reason', async () => {
    const { saved } = await open((transport) =>
      transport.on('PUT /studio/settings', () => refused(400, 'INVALID_INPUT', '"a b" is no host')),
    )
    const sets = section('Tool sets')
    expect(sets.getByRole('button', { name: 'Add' })).toHaveProperty('disabled', true)
    const host = sets.getByRole('textbox')
    fireEvent.change(host, { target: { value: ' a b ' } })
    fireEvent.click(sets.getByRole('button', { name: 'Add' }))
    await sets.findByText('"a b" is no host')
    expect(host).toHaveProperty('value', ' a b ')
    expect(host.getAttribute('aria-invalid')).toBe('true')
    expect(saved()).toEqual([{ browserHosts: ['localhost:3000', 'a b'] }])
  })

  it('let go of a host', async () => {
    const { saved } = await open()
    fireEvent.click(section('Tool sets').getByRole('button', { name: 'Remove localhost:3000' }))
    await waitFor(() => expect(saved()).toEqual([{ browserHosts: [] }]))
  })
})

describe('the rule for old threads', () => {
  it.each<[string, string, boolean]>([
    ['0', '0 keeps every thread.', false],
    ['30', 'They cannot be brought back. A thread that works or waits for you stays.', true],
    ['', 'A whole number of days, or 0.', false],
    ['1.5', 'A whole number of days, or 0.', false],
    ['-1', 'A whole number of days, or 0.', false],
  ])('of %j days says: %s', async (typed, note, canSave) => {
    await open()
    const general = section('General')
    fireEvent.change(general.getByRole('textbox', { name: /^Delete threads after/ }), { target: { value: typed } })
    expect(general.getByText(note)).toBeTruthy()
    expect(general.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', !canSave)
  })

  it('is saved only when that is asked for, and keeps what was typed when it is refused', async () => {
    const { saved } = await open((transport) =>
      transport.on('PUT /studio/settings', () => refused(400, 'INVALID_INPUT', 'retentionDays: too many')),
    )
    const field = section('General').getByRole('textbox', { name: /^Delete threads after/ })
    fireEvent.change(field, { target: { value: '99999' } })
    fireEvent.blur(field)
    expect(saved()).toEqual([])
    fireEvent.click(section('General').getByRole('button', { name: 'Save' }))
    await toasted('retentionDays: too many')
    expect(saved()).toEqual([{ retentionDays: 99999 }])
    expect(field).toHaveProperty('value', '99999')
  })
})

it('the sandbox says what is there and why not, and whether calls may run without it', async () => {
  const { saved } = await open()
  const sandbox = section('Sandbox')
  expect(sandbox.getByText('is not there: no socket')).toBeTruthy()
  expect(sandbox.getByText('is there')).toBeTruthy()
  fireEvent.click(sandbox.getByRole('checkbox'))
  await sandbox.findByText('Such calls fail.')
  expect(saved()).toEqual([{ allowNativeFallback: false }])
})

describe('commands in Docker', () => {
  const inDocker = { in: 'docker', image: 'busybox:1', memory: '64MB', pidsLimit: 9, network: 'none' }
  const write = (name: string, value: string) =>
    fireEvent.change(section('Sandbox').getByRole('textbox', { name }), { target: { value } })
  const press = (name: string) => fireEvent.click(section('Sandbox').getByRole('button', { name }))

  it('say that Docker is not there, are tried as they are written, and are saved when asked to', async () => {
    const tested: unknown[] = []
    const { saved } = await open((transport) => {
      transport.on('GET /studio/state', () =>
        ok({
          settings: { ...settings, commands: inDocker },
          sandbox: { docker: { available: false, reason: 'no socket' }, wasm: true },
        }),
      )
      transport.on('POST /studio/sandbox/test', ({ body }) => {
        tested.push(JSON.parse(body ?? ''))
        return ok({ ok: false, error: { message: 'Docker cannot be reached', code: 'SANDBOX_UNAVAILABLE' } })
      })
    })
    const sandbox = section('Sandbox')
    expect(
      sandbox.getByText(/Docker is not there now: commands run on this machine, after you approved them/),
    ).toBeTruthy()
    expect(sandbox.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
    write('Image', 'alpine')
    write('Processes at most', '')
    press('Test')
    await sandbox.findByText('Docker cannot be reached')
    expect(tested).toEqual([{ ...inDocker, image: 'alpine', pidsLimit: 0 }])
    press('Save')
    await waitFor(() => expect(saved()).toEqual([{ commands: { ...inDocker, image: 'alpine', pidsLimit: 0 } }]))
    write('Processes at most', 'few')
    expect(sandbox.getByText('A whole number, or nothing for no limit.')).toBeTruthy()
    expect(sandbox.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
  })

  it('that are refused say why at each field, and what was written stays', async () => {
    await open((transport) => {
      transport.on('GET /studio/state', () => ok({ settings: { ...settings, commands: inDocker } }))
      transport.on('PUT /studio/settings', () =>
        refused(400, 'INVALID_INPUT', 'image: "a b" holds a space\nmemory: "1MB" is less'),
      )
    })
    write('Image', 'a b')
    write('Memory at most', '1MB')
    press('Save')
    const field = (name: string) => section('Sandbox').getByRole('textbox', { name })
    await waitFor(() => expect(field('Image').getAttribute('aria-invalid')).toBe('true'))
    const note = (name: string) => document.getElementById(field(name).getAttribute('aria-describedby') ?? '')
    expect(note('Image')?.textContent).toBe('"a b" holds a space.')
    expect(note('Memory at most')?.textContent).toBe('"1MB" is less.')
    expect(field('Memory at most')).toHaveProperty('value', '1MB')
    expect(document.activeElement).toBe(field('Image'))
    expect(section('Sandbox').queryByRole('alert')).toBeNull()
    write('Image', 'a')
    expect(field('Memory at most').getAttribute('aria-invalid')).toBeNull()
  })
})

describe('the schedules', () => {
  const later = Date.now() + 3_600_000

  it('say what is sent, when and into which thread, and why it was not', async () => {
    await open((transport) =>
      transport.on('GET /studio/schedules', () =>
        ok({
          schedules: [
            { ...first, cron: '0 7 * * *', timezone: 'Europe/Berlin', next: later },
            { ...first, id: 'sch_2', message: 'Once', next: 1000, waiting: 'the thread is busy' },
          ],
        }),
      ),
    )
    const items = await section('Schedules').findAllByRole('listitem')
    expect(items[0]?.textContent).toMatch(/^Look at itnext .*, again by 0 7 \* \* \* \(Europe\/Berlin\)to workspace in/)
    expect(items[1]?.textContent).toMatch(/^Oncedue .*, onceNot sent yet: the thread is busyto workspace/)
    expect(section('Schedules').getByText(/scheduler is off/)).toBeTruthy()
  })

  it('lead to their thread', async () => {
    const { app } = await open((transport) =>
      transport.on('GET /studio/schedules', () => ok({ schedules: [{ ...first, next: later }] })),
    )
    fireEvent.click(await section('Schedules').findByRole('button', { name: 'Nightly' }))
    expect(app.setUp.get()).toBeUndefined()
    expect(app.router.route.get()).toEqual({ kind: 'thread', threadId: 't 1' })
  })

  it('are deleted once that was asked again, and the focus stays in their section', async () => {
    let schedules = [{ ...first, next: later }]
    const { transport } = await open((it) => {
      it.on('GET /studio/schedules', () => ok({ schedules }))
      it.on('DELETE /studio/schedules/sch_1', () => {
        schedules = []
        return { status: 204, text: '' }
      })
    })
    const list = section('Schedules')
    const remove = await list.findByRole('button', { name: 'Delete the schedule of “Look at it”' })
    fireEvent.click(remove)
    fireEvent.click(list.getByRole('button', { name: 'Keep' }))
    expect(document.activeElement).toBe(remove)
    expect(asked(transport, '/studio/schedules/sch_1')).toBe(0)
    fireEvent.click(remove)
    fireEvent.click(list.getByRole('button', { name: 'Delete' }))
    await list.findByText(/^No schedules\./)
    expect(document.activeElement).toBe(list.getByRole('heading'))
  })

  it('are read again when the next one is due', async () => {
    const { transport } = await open((it) =>
      it.on('GET /studio/schedules', () => ok({ schedules: [{ ...first, next: Date.now() + 600 }] })),
    )
    await section('Schedules').findByRole('listitem')
    const before = asked(transport, '/studio/schedules')
    await waitFor(() => expect(asked(transport, '/studio/schedules')).toBeGreaterThan(before))
  })
})

describe('the notes', () => {
  const notes = [
    {
      id: 'n1',
      agentName: 'scribe',
      userId: 'ann',
      text: 'The port is 9090',
      tags: ['deploy'],
      createdAt: 1_700_000_000_000,
    },
  ]

  it('are searched once nothing is typed for a moment', async () => {
    const { transport } = await open((it) =>
      it.on('GET /studio/notes', ({ path }) => ok({ notes: path.includes('query') ? [] : notes })),
    )
    const list = section('Notes')
    expect((await list.findByRole('listitem')).textContent).toMatch(/scribe · about ann · .* · #deploy/)
    for (const value of ['a', 'a ', 'a & b']) {
      fireEvent.change(list.getByRole('searchbox'), { target: { value } })
    }
    await list.findByText('Nothing matches “a & b”.')
    expect(transport.asked.filter(({ path }) => path.includes('query')).map(({ path }) => path)).toEqual([
      '/studio/notes?query=a%20%26%20b',
    ])
  })

  it('that could not be deleted stay, and say why', async () => {
    await open((it) => {
      it.on('GET /studio/notes', () => ok({ notes }))
      it.on('DELETE /studio/notes/n1', () => refused(500, 'INTERNAL', 'the disk is full'))
    })
    const list = section('Notes')
    fireEvent.click(await list.findByRole('button', { name: 'Delete the note “The port is 9090”' }))
    fireEvent.click(list.getByRole('button', { name: 'Delete' }))
    await toasted('the disk is full')
    expect(list.getByText('The port is 9090')).toBeTruthy()
  })

  it('that cannot be read say so, and are asked for again', async () => {
    let broken = true
    await open((it) =>
      it.on('GET /studio/notes', () => (broken ? refused(500, 'INTERNAL', 'no such table') : ok({ notes }))),
    )
    const list = section('Notes')
    await list.findByText('no such table')
    broken = false
    fireEvent.click(list.getByRole('button', { name: 'Try again' }))
    await list.findByText('The port is 9090')
  })
})

it('a section is gone to with the focus on its name', async () => {
  await open()
  fireEvent.click(screen.getByRole('button', { name: 'Notes' }))
  expect(document.activeElement).toBe(section('Notes').getByRole('heading', { name: 'Notes' }))
})
