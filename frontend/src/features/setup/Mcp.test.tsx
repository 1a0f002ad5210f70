import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import type { Select } from '../../ui/Select'
import { SettingsDialog } from './SettingsDialog'

// The list of the browser; here its own stands in for it.
vi.mock('../../ui/Select', () => ({
  Select: ({ label, value, options, onChange }: ComponentProps<typeof Select>) => (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  ),
}))

const words = {
  name: 'words',
  transport: 'http',
  url: 'https://example.com/mcp',
  headers: ['Authorization'],
  asks: 'always',
  enabled: true,
  secretsKept: 'file',
  missing: ['Authorization'],
  state: 'ready',
  tools: [
    { name: 'search', toolName: 'words_search', description: 'Looks up a word' },
    { name: 'bad', toolName: '', description: '', error: 'its schema is none' },
  ],
}

/** The settings of a studio with these servers, which can change. */
async function open(servers: object[]) {
  const transport = new FakeTransport()
  const there = { servers }
  transport.on('GET /studio/state', () => ok({ mcpServers: there.servers }))
  for (const name of ['rules', 'schedules', 'notes']) transport.on(`GET /studio/${name}`, () => ok({ [name]: [] }))
  const app = new App(transport)
  await app.studio.refresh()
  app.setUp.set({ kind: 'settings' })
  render(
    <AppContext value={app}>
      <SettingsDialog />
    </AppContext>,
  )
  const section = within(await screen.findByRole('region', { name: 'MCP servers' }))
  const sent = (method: string) => {
    const last = transport.asked.findLast((each) => each.method === method)
    return last && { path: last.path, body: JSON.parse(last.body ?? 'null') }
  }
  return { app, transport, there, section, sent }
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const write = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

describe('the list of MCP servers', () => {
  it('says how each is, what it has, and what is wrong with it', async () => {
    const { section } = await open([
      words,
      { name: 'gone', command: '/no/such', args: ['-x'], enabled: true, state: 'failed', error: 'no such file' },
      { name: 'idle', command: 'npx', enabled: false, state: 'off' },
      { name: 'later', command: 'npx', enabled: true, state: 'off' },
    ])
    const [first, second, third, fourth] = section.getAllByRole('listitem').map((item) => item.textContent)
    expect(first).toContain('wordsreadyonhttps://example.com/mcp')
    expect(first).toContain('No value for Authorization. Write it again under Edit.')
    expect(second).toContain('gonefailedon/no/such -xno such file')
    expect(third).toContain('idleoff')
    expect(fourth).toContain('laternot startedon')
    const count = section.getByRole('button', { name: '2 tools, 1 cannot be used' })
    expect(section.getByText('2 tools', { exact: false, selector: 'button > span' }).textContent).toBe(
      count.textContent,
    )
    fireEvent.click(count)
    const tools = within(section.getByRole('list', { name: 'Tools' })).getAllByRole('listitem')
    expect(tools.map((tool) => tool.textContent)).toEqual([
      'bad Cannot be used: its schema is none',
      'words_search Looks up a word',
    ])
  })

  it('looks again while one starts', async () => {
    const { section, there } = await open([{ ...words, state: 'starting', tools: [] }])
    section.getByText('starting')
    there.servers = [words]
    await section.findByText('ready')
  })

  it('switches one off without its values', async () => {
    const { section, transport, there, sent } = await open([words])
    transport.on('PUT /studio/mcp/words', () => {
      there.servers = [{ ...words, enabled: false, state: 'off', tools: [] }]
      return ok(there.servers[0])
    })
    fireEvent.click(section.getByRole('checkbox', { name: 'words: on' }))
    await waitFor(() => expect(section.getByRole('checkbox')).toHaveProperty('checked', false))
    expect(sent('PUT')?.body).toMatchObject({ enabled: false, headers: { Authorization: null }, asks: 'always' })
  })

  it('tests one where it stands, with what it wrote', async () => {
    const { section, transport } = await open([words])
    transport.on('POST /studio/mcp/words/test', () => ok({ ok: false, error: 'it ended', log: ['panic: no key'] }))
    fireEvent.click(section.getByRole('button', { name: 'Test words' }))
    expect((await section.findByRole('status')).textContent).toBe('Failed: it ended')
    expect(section.getByRole('group', { name: 'What it wrote' }).textContent).toContain('panic: no key')
  })

  it('lists its tools once, a few at first, with those that cannot be used before the others', async () => {
    const usable = Array.from({ length: 19 }, (_, i) => ({ name: `t${i}`, toolName: `words_t${i}`, description: '' }))
    const many = [...usable, { name: 'bad', toolName: '', description: '', error: 'its schema is none' }]
    const { section, transport } = await open([{ ...words, tools: many }])
    transport.on('POST /studio/mcp/words/test', () => ok({ ok: true, tools: many, log: [] }))
    fireEvent.click(section.getByRole('button', { name: '20 tools, 1 cannot be used' }))
    fireEvent.click(section.getByRole('button', { name: 'Test words' }))
    expect((await section.findByRole('status')).textContent).toBe('Works: 19 of its 20 tools can be used.')
    const list = () => within(section.getByRole('list', { name: 'Tools' })).getAllByRole('listitem')
    expect(list()).toHaveLength(6)
    expect(list()[0]?.textContent).toContain('Cannot be used: its schema is none')
    fireEvent.click(section.getByRole('button', { name: 'Show all 20 tools' }))
    expect(list()).toHaveLength(20)
  })

  it('deletes one once it asked', async () => {
    const { section, transport, there } = await open([words])
    transport.on('DELETE /studio/mcp/words', () => {
      there.servers = []
      return { status: 204, text: '' }
    })
    fireEvent.click(section.getByRole('button', { name: 'Delete words' }))
    expect(transport.asked.some(({ method }) => method === 'DELETE')).toBe(false)
    fireEvent.click(section.getByRole('button', { name: 'Delete' }))
    await section.findByText(/^No servers\./)
  })
})

describe('the form of an MCP server', () => {
  it('sets a program up, tests it, and stays open with what came of it', async () => {
    const { transport, there, sent } = await open([])
    const saved = { name: 'files', command: 'npx', args: ['-y', 'server'], env: ['TOKEN'], enabled: true }
    transport.on('PUT /studio/mcp/files', () => {
      there.servers = [saved]
      return ok(saved)
    })
    transport.on('POST /studio/mcp/files/test', () => ok({ ok: true, tools: words.tools, log: [] }))
    press('Add a server')
    await screen.findByRole('dialog', { name: 'Add an MCP server' })
    await screen.findByLabelText('Name')
    write('Name', 'files')
    write('Command', 'npx')
    write('Arguments', '-y\nserver')
    press('Add a variable')
    write('Name of variable 1', 'TOKEN')
    write('Value of variable 1', 'sesame')
    write('Keep the values', 'file')
    write('Which of its calls wait for you', 'destructive')
    press('Save and test')
    expect((await screen.findByRole('status')).textContent).toBe('Works: 1 of its 2 tools can be used.')
    expect(sent('PUT')).toEqual({
      path: '/studio/mcp/files',
      body: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server'],
        env: { TOKEN: 'sesame' },
        url: '',
        headers: {},
        asks: 'destructive',
        enabled: true,
        keepSecrets: 'file',
        start: false,
      },
    })
    expect(screen.getByRole('dialog', { name: 'files' })).toBeTruthy()
    expect(screen.getByLabelText('Value of variable 1')).toHaveProperty('value', '')
    expect(screen.getByPlaceholderText('kept')).toBeTruthy()
    press('Save')
    await screen.findByRole('dialog', { name: 'Settings' })
    expect(sent('PUT')?.body.env).toEqual({ TOKEN: null })
    expect(sent('PUT')?.body.start).toBeUndefined()
  })

  it('does not take the place of another server', async () => {
    const { sent } = await open([words])
    press('Add a server')
    await screen.findByLabelText('Name')
    write('Name', 'words')
    write('Command', 'npx')
    press('Save')
    await screen.findByText('There is a server of the name words already.')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
    expect(sent('PUT')).toBeUndefined()
  })

  it('says what the server refuses, and keeps what was written', async () => {
    const { transport } = await open([])
    transport.on('PUT /studio/mcp/a-b', () => refused(400, 'INVALID_INPUT', 'a program it cannot start'))
    press('Add a server')
    await screen.findByLabelText('Name')
    write('Name', 'a-b')
    write('Command', 'npx')
    press('Save')
    expect((await screen.findByRole('alert')).textContent).toBe('a program it cannot start')
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'a-b')
  })

  it('changes an address, writes a header that is gone again, and leaves its name', async () => {
    const { transport, sent } = await open([words])
    transport.on('PUT /studio/mcp/words', () => ok(words))
    press('Edit words')
    await screen.findByRole('dialog', { name: 'words' })
    await screen.findByLabelText('Address')
    expect(screen.queryByLabelText('Name')).toBeNull()
    expect(screen.getByLabelText('Name of header 1')).toHaveProperty('readOnly', true)
    expect(screen.getByPlaceholderText('gone: write it again')).toBeTruthy()
    write('Address', 'https://example.com/other')
    write('Value of header 1', 'Bearer x')
    press('Add a header')
    press('Remove header 2')
    press('Save')
    await screen.findByRole('dialog', { name: 'Settings' })
    expect(sent('PUT')?.body).toMatchObject({
      url: 'https://example.com/other',
      headers: { Authorization: 'Bearer x' },
      keepSecrets: 'file',
      asks: 'always',
    })
  })
})
