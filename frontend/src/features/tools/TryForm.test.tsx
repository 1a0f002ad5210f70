import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import axe from 'axe-core'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok, refused } from '../../test/fake'
import { listed } from '../../test/tools'
import { TryForm } from './TryForm'

// The editor needs a browser that lays out; here a field stands in for it.
vi.mock('../approvals/ArgumentsEditor', () => ({
  default: ({ label, initial, onChange }: { label: string; initial: string; onChange: (text: string) => void }) => (
    <textarea aria-label={label} defaultValue={initial} onChange={(event) => onChange(event.target.value)} />
  ),
}))

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
})

function tool(properties: object, more: object = {}) {
  const parameters = { type: 'object', properties, ...more }
  const transport = new FakeTransport()
  transport.on('POST /studio/tools/try', () => ok({ runId: 'r1', threadId: 'thr_1' }))
  const app = new App(transport)
  const source = listed('mcp/one', [{ name: 'search', parameters }])
  const [only] = source.tools
  if (!only) throw new Error('the source lists no tool')
  const onStarted = vi.fn(async () => undefined)
  render(
    <AppContext value={app}>
      <TryForm source={source} tool={only} onStarted={onStarted} />
    </AppContext>,
  )
  /** The arguments' text of the last try. */
  const sent = async () => {
    onStarted.mockClear()
    fireEvent.click(run())
    await waitFor(() => expect(onStarted).toHaveBeenCalled())
    const body: unknown = JSON.parse(transport.asked.at(-1)?.body ?? '')
    return body instanceof Object && 'argumentsText' in body ? String(body.argumentsText) : ''
  }
  return { transport, app, sent }
}

const run = () => screen.getByRole('button', { name: 'Run' })
const field = (name: string) => screen.getByRole('textbox', { name })
const write = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })
const show = (name: string) => fireEvent.click(screen.getByRole('tab', { name }))
const editor = () => screen.findByRole('textbox', { name: 'Arguments as JSON' })

describe('trying a tool', () => {
  it('I1 sends a nullable text as not given, as null, or as what is written, an empty text too', async () => {
    const { sent } = tool({ note: { type: ['string', 'null'] } })
    expect(await sent()).toBe('{}')
    fireEvent.click(screen.getByRole('button', { name: 'null' }))
    expect(JSON.parse(await sent())).toEqual({ note: null })
    fireEvent.click(screen.getByRole('button', { name: 'null' }))
    expect(JSON.parse(await sent())).toEqual({ note: '' })
    write('note', 'hello')
    expect(JSON.parse(await sent())).toEqual({ note: 'hello' })
    fireEvent.click(screen.getByRole('button', { name: 'Leave out note' }))
    expect(JSON.parse(await sent())).toEqual({})
  })

  it('I3 opens a tree as far as it is asked, and takes what a lost reference describes as JSON, with a note', async () => {
    const { sent } = tool(
      { tree: { $ref: '#/$defs/node' }, lost: { $ref: '#/$defs/gone' } },
      {
        $defs: {
          node: {
            type: 'object',
            properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          },
        },
      },
    )
    expect(screen.getAllByRole('textbox', { name: 'value' })).toHaveLength(1)
    fireEvent.click(screen.getByRole('button', { name: 'Add to children' }))
    fireEvent.change(screen.getAllByRole('textbox', { name: 'value' })[1] ?? document.body, { target: { value: '7' } })
    expect(document.body.textContent).toContain('#/$defs/gone, is not there: write it as JSON.')
    write('lost', '{"a":1.0}')
    const text = (await sent()).replaceAll(/\s/g, '')
    expect(text).toContain('"tree":{"children":[{"value":7}]}')
    expect(text).toContain('"lost":{"a":1.0}')
  })

  it('I4 does not run with a number that is half written, and says so at its field', () => {
    const { transport } = tool({ n: { type: 'number' } }, { required: ['n'] })
    expect(screen.getByText('Still needed: n')).toBeTruthy()
    expect(field('n').getAttribute('aria-invalid')).toBeNull()
    write('n', '1e')
    expect(document.body.textContent).toContain('Not a number.')
    expect(run()).toHaveProperty('disabled', true)
    fireEvent.keyDown(field('n'), { key: 'Enter', ctrlKey: true })
    expect(transport.asked).toEqual([])
    write('n', '1e4')
    expect(run()).toHaveProperty('disabled', false)
  })

  it('runs by its key from anywhere in the window, while it can', async () => {
    const { app, transport } = tool({ n: { type: 'number' } })
    const press = () => app.commands.press(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true }), false)
    write('n', '1e')
    expect(press()).toBe(false)
    write('n', '1')
    expect(press()).toBe(true)
    await waitFor(() => expect(transport.asked).toHaveLength(1))
  })

  it('K sends numbers as they were typed, which no JavaScript number is', async () => {
    const { sent } = tool({ id: { type: 'integer' }, ratio: { type: 'number' }, much: { type: 'number' } })
    write('id', '2512292042121000001')
    write('ratio', '1.0')
    write('much', '1e400')
    expect((await sent()).replaceAll(/\s/g, '')).toBe('{"id":2512292042121000001,"ratio":1.0,"much":1e400}')
  })

  it('K loses nothing on the way from form to JSON and back', async () => {
    const { sent } = tool({ ratio: { type: 'number' } })
    write('ratio', '1.0')
    show('JSON')
    const text = await editor()
    expect(text).toHaveProperty('value', '{\n  "ratio": 1.0\n}')
    const typed = '{ "more": 2512292042121000001,"ratio":1.50 }'
    fireEvent.change(text, { target: { value: typed } })
    expect(await sent()).toBe(typed)
    show('Form')
    expect(field('ratio')).toHaveProperty('value', '1.50')
    expect(field('more')).toHaveProperty('value', '2512292042121000001')
  })

  it('K keeps in JSON what is no JSON, says why it cannot run, and does not show a form of it', async () => {
    tool({ a: { type: 'string' } })
    show('JSON')
    fireEvent.change(await editor(), { target: { value: '{"a":' } })
    expect(run()).toHaveProperty('disabled', true)
    expect(screen.getByRole('tab', { name: 'Form' })).toHaveProperty('title', expect.stringContaining('Not JSON'))
    fireEvent.change(await editor(), { target: { value: '[1]' } })
    expect(document.body.textContent).toContain('Arguments are an object')
  })

  it('says in JSON what the schema has against it, and lets the tool have the last word', async () => {
    const { sent } = tool({ n: { type: 'integer' } }, { required: ['n', 'm'] })
    show('JSON')
    fireEvent.change(await editor(), { target: { value: '{"n":"x"}' } })
    const list = screen.getByRole('list', { name: 'Against the schema' })
    expect(list.textContent).toContain('/m Needed, and missing.')
    expect(list.textContent).toContain('/n ')
    expect(await sent()).toBe('{"n":"x"}')
  })

  it('shows what the Studio refuses at its field, and keeps what was typed', async () => {
    const { transport } = tool({ path: { type: 'string' } })
    const message = "Invalid arguments: at '/path': nobody has such a file"
    transport.on('POST /studio/tools/try', () => refused(400, 'TOOL_INVALID_ARGS', message))
    write('path', 'x')
    fireEvent.click(run())
    expect((await screen.findByRole('alert')).textContent).toContain(message)
    expect(field('path')).toHaveProperty('value', 'x')
    expect(field('path').getAttribute('aria-invalid')).toBe('true')
    write('path', 'xy')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('shows a default as what holds when nothing is given, and sends nothing for it', async () => {
    const { sent } = tool({ limit: { type: 'integer', default: 2000 } })
    expect(field('limit')).toHaveProperty('placeholder', 'not given: 2000')
    expect(await sent()).toBe('{}')
  })

  it('has no fault a machine can find', async () => {
    tool({ n: { type: 'number' }, note: { type: ['string', 'null'] } }, { required: ['n'] })
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } })
    expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
  })
})

it('I2 shows the fields of the branch that is chosen, and a switch keeps what fits', async () => {
  const { sent } = tool({
    target: {
      anyOf: [
        { type: 'object', title: 'a host', properties: { host: { type: 'string' }, port: { type: 'integer' } } },
        { type: 'object', title: 'a file', properties: { path: { type: 'string' }, port: { type: 'integer' } } },
      ],
    },
  })
  show('JSON')
  fireEvent.change(await editor(), { target: { value: '{"target":{"path":"/tmp","port":9090}}' } })
  show('Form')
  expect(field('path')).toHaveProperty('value', '/tmp')
  expect(screen.getByRole('combobox', { name: 'Kind of target' })).toBeTruthy()
  write('port', '9091')
  expect((await sent()).replaceAll(/\s/g, '')).toBe('{"target":{"path":"/tmp","port":9091}}')
})

it('says of a tool without arguments that it takes none, and runs it', async () => {
  localStorage.setItem('callboard.try', 'json')
  const { sent } = tool({})
  expect(screen.getByText('It takes no arguments.')).toBeTruthy()
  expect(document.body.textContent).not.toContain('as JSON')
  expect(await sent()).toBe('{}')
})

it.each([
  ['one of several sets', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, 'one of several sets (oneOf)'],
  [
    'members that depend on others',
    { properties: { kind: { type: 'string' } }, if: { required: ['kind'] }, else: { properties: { other: {} } } },
    'depend on others (if, then, else)',
  ],
  [
    'names of a pattern',
    { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    'leaves them open',
  ],
  ['a member without a name', { properties: { '': { type: 'string' }, a: { type: 'string' } } }, 'without a name'],
])('opens as JSON, and says why, where a form cannot show %s', async (_, more, why) => {
  const { sent } = tool({}, more)
  expect(await editor()).toBeTruthy()
  expect(document.body.textContent).toContain(why)
  expect(document.body.textContent).not.toContain('Instance does not match "')
  expect(screen.getByRole('tab', { name: 'Form' })).toHaveProperty('title', expect.stringContaining(why))
  fireEvent.change(await editor(), { target: { value: '{"a":1}' } })
  expect(await sent()).toBe('{"a":1}')
})

it('shows a form where a condition only asks for what has a field, and a field for what is only required', () => {
  tool(
    { kind: { type: 'string' }, size: { type: 'integer' } },
    {
      required: ['any'],
      if: { properties: { kind: { const: 'box' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['size'] },
    },
  )
  expect(screen.getByText('Still needed: any')).toBeTruthy()
  write('any', 'true')
  write('kind', 'box')
  expect(screen.getByText('Still needed: size')).toBeTruthy()
  write('size', '2')
  expect(run()).toHaveProperty('disabled', false)
})
