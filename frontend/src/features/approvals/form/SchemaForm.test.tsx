import { fireEvent, render, screen } from '@testing-library/react'
import axe from 'axe-core'
import type { ComponentProps } from 'react'
import { describe, expect, it, vi } from 'vitest'
import type { Select } from '../../../ui/Select'
import SchemaForm from './SchemaForm'
import type { Fault } from './serverFaults'

// The list of the browser; here its own stands in for it.
vi.mock('../../../ui/Select', () => ({
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

const parameters = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Who it is for' },
    count: { type: 'integer', minimum: 1 },
    note: { type: ['string', 'null'] },
    color: { enum: ['red', 'green'] },
    tags: { type: 'array', items: { type: 'string' } },
    target: {
      anyOf: [
        {
          type: 'object',
          title: 'a host',
          properties: { host: { type: 'string' }, port: { type: 'integer' } },
          required: ['host'],
        },
        {
          type: 'object',
          title: 'a file',
          properties: { path: { type: 'string' }, port: { type: 'integer' } },
          required: ['path'],
        },
      ],
    },
    tree: { $ref: '#/$defs/node' },
    lost: { $ref: 'https://a.example/gone' },
  },
  required: ['name'],
  $defs: {
    node: {
      type: 'object',
      properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    },
  },
}

function form(initial: string, refused: Fault[] = []) {
  const onChange = vi.fn<(text: string) => void>()
  const onFaults = vi.fn<(faults: Fault[]) => void>()
  const view = render(<SchemaForm {...{ parameters, initial, refused, onChange, onFaults }} />)
  const last = () => onChange.mock.lastCall?.[0].replaceAll(/\s+/g, '')
  const faults = () => onFaults.mock.lastCall?.[0].map(({ path, message }) => `/${path.join('/')} ${message}`)
  return { last, faults, ...view }
}

const field = (name: string) => screen.getByRole('textbox', { name })
const write = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })

describe('a form made from a schema', () => {
  it('shows numbers as they were written and keeps those nobody edits', () => {
    const { last } = form('{"count":2512292042121000001,"lost":1.0,"name":"x"}')
    expect(field('count')).toHaveProperty('value', '2512292042121000001')
    expect(field('lost')).toHaveProperty('value', '1.0')
    write('name', 'y')
    expect(last()).toBe('{"count":2512292042121000001,"lost":1.0,"name":"y"}')
  })

  it('says at a field what is wrong with it, and tells it', () => {
    const { faults, last } = form('{"name":"x","count":2}')
    write('count', '0')
    expect(faults()).toEqual(['/count 0 is less than 1.'])
    expect(document.body.textContent).toContain('0 is less than 1.')
    write('count', '1e')
    expect(last()).toBe('{"name":"x","count":1e}')
    expect(document.body.textContent).toContain('Not a number.')
  })

  it('shows what the server refused at its field', () => {
    form('{"name":"x"}', [{ path: ['name'], message: 'nobody is called x' }])
    expect(document.getElementById(field('name').getAttribute('aria-describedby') ?? '')?.textContent).toContain(
      'nobody is called x',
    )
    expect(field('name').getAttribute('aria-invalid')).toBe('true')
  })

  it('says of each kind of field which default holds while it is not given', () => {
    const text = `{"type":"object","properties":{
      "id":{"type":"integer","default":9007199254740993},"on":{"type":"boolean","default":true},
      "mode":{"enum":["x","y"],"default":"y"},"tags":{"type":"array","items":{"type":"string"},"default":["a","b"]}}}`
    const view = { parameters: JSON.parse(text), parametersText: text, initial: '{}', refused: [] }
    render(<SchemaForm {...view} onChange={() => undefined} onFaults={() => undefined} />)
    expect(field('id')).toHaveProperty('placeholder', 'not given: 9007199254740993')
    const none = (name: string) => screen.getByRole('combobox', { name }).querySelector('option')?.textContent
    expect([none('on'), none('mode')]).toEqual(['not given: true', 'not given: "y"'])
    expect(screen.getByText('not given: ["a","b"]')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Add to tags' }))
    expect(screen.queryByText('not given: ["a","b"]')).toBeNull()
  })

  it('knows a nullable text as not given, null, or a text', () => {
    const { last } = form('{"name":"x"}')
    expect(field('note')).toHaveProperty('placeholder', 'not given')
    fireEvent.click(screen.getByRole('button', { name: 'null' }))
    expect(last()).toBe('{"name":"x","note":null}')
    fireEvent.click(screen.getByRole('button', { name: 'null' }))
    write('note', 'hello')
    expect(last()).toBe('{"name":"x","note":"hello"}')
    fireEvent.click(screen.getByRole('button', { name: 'Leave out note' }))
    expect(last()).toBe('{"name":"x"}')
  })

  it('adds to a list, moves in it and takes from it', () => {
    const { last } = form('{"name":"x","tags":["a","b"]}')
    fireEvent.click(screen.getByRole('button', { name: 'Add to tags' }))
    expect(last()).toBe('{"name":"x","tags":["a","b",""]}')
    fireEvent.click(screen.getByRole('button', { name: 'Move 2 up' }))
    expect(last()).toBe('{"name":"x","tags":["b","a",""]}')
    fireEvent.click(screen.getByRole('button', { name: 'Remove 1' }))
    expect(last()).toBe('{"name":"x","tags":["a",""]}')
  })

  it('chooses the branch that fits, and a switch keeps what the other has too', () => {
    const { last } = form('{"name":"x","target":{"path":"/tmp","port":1.0}}')
    expect(field('path')).toHaveProperty('value', '/tmp')
    fireEvent.change(screen.getByRole('combobox', { name: 'Kind of target' }), { target: { value: '0' } })
    expect(field('port')).toHaveProperty('value', '1.0')
    write('host', 'h')
    expect(last()).toBe('{"name":"x","target":{"port":1.0,"host":"h"}}')
  })

  it('holds what is entered to the branch that is shown, whatever else it would fit', () => {
    const { faults } = form('{"name":"x","target":{"path":"/tmp"}}')
    expect(faults()).toEqual([])
    fireEvent.change(screen.getByRole('combobox', { name: 'Kind of target' }), { target: { value: '0' } })
    expect(faults()).toEqual(['/target/host Needed, and missing.'])
    write('port', 'x')
    write('port', '1')
    expect(faults()).toEqual(['/target/host Needed, and missing.'])
    write('host', 'h')
    expect(faults()).toEqual([])
    fireEvent.change(screen.getByRole('combobox', { name: 'Kind of target' }), { target: { value: '1' } })
    expect(faults()).toEqual(['/target/path Needed, and missing.'])
  })

  it('opens a schema that holds itself as far as it is asked', () => {
    const { last } = form('{"name":"x","tree":{"value":1,"children":[{"value":2}]}}')
    expect(screen.getAllByRole('textbox', { name: 'value' }).map((each) => each.getAttribute('id'))).toHaveLength(2)
    fireEvent.click(screen.getAllByRole('button', { name: 'Add to children' }).at(-1) ?? document.body)
    expect(last()).toBe('{"name":"x","tree":{"value":1,"children":[{"value":2},{}]}}')
  })

  it('says of a list and an object whether it is needed, and of a field of JSON that it is one', () => {
    form('{"name":"x","tree":{"value":1}}')
    expect([...document.querySelectorAll('legend')].map((each) => each.textContent)).toEqual([
      'tags optional',
      'a host',
      'tree optional',
      'children optional',
    ])
    expect(field('lost')).toHaveProperty('placeholder', 'JSON, not given')
  })

  it('marks what a field of text would hide', () => {
    form('{"name":"a\\u202eb"}')
    expect(document.body.textContent).toContain('As it is: a\\u202eb')
  })

  it('has no fault a machine can find', async () => {
    const { container } = form('{"name":"x","note":null,"tags":["a"],"color":"red","target":{"host":"h"},"lost":1}')
    const { violations } = await axe.run(container, { rules: { region: { enabled: false } } })
    expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
  })
})
