import { fireEvent, render, screen, within } from '@testing-library/react'
import axe from 'axe-core'
import { beforeEach, expect, it, vi } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport } from '../../test/fake'
import { listed } from '../../test/tools'
import { ToolList } from './ToolList'

const sources = [
  listed('mcp/one', [
    { name: 'search', approval: 'always' },
    { name: 'bare', fault: 'it has no input schema' },
    { name: 'last' },
  ]),
  listed('mcp/two', [{ name: 'search' }], { state: 'failed', fault: 'the server did not start' }),
]

beforeEach(() => {
  location.hash = ''
})

function list(current?: { source: string; name: string }) {
  const app = new App(new FakeTransport())
  render(
    <AppContext value={app}>
      <ToolList sources={sources} current={current} onAgain={() => undefined} />
    </AppContext>,
  )
  return app
}

const source = (name: string) => screen.getByRole('region', { name })
const items = () =>
  within(screen.getByRole('navigation', { name: 'Tools' })).getAllByRole('button', { name: /Does|schema/ })

it('I8 lists all tools of a source of which one has no schema, and marks that one', () => {
  list()
  const tools = within(source('mcp/one')).getAllByRole('button')
  expect(tools.map((each) => each.textContent)).toEqual([
    'searchIts calls may wait for approvalDoes something',
    'bareSomething is wrong with itit has no input schema',
    'lastDoes something',
  ])
})

it('I9 opens the tool of the source it is chosen in, of two with one name', () => {
  const app = list()
  for (const id of ['mcp/one', 'mcp/two']) {
    fireEvent.click(within(source(id)).getByRole('button', { name: /^search/ }))
    expect(app.router.route.get()).toEqual({ kind: 'tools', tool: { source: id, name: 'search' } })
  }
})

it('says of a source that it failed, and how it is started again', () => {
  list()
  expect(source('mcp/two').textContent).toContain('the server did not start')
  expect(within(source('mcp/two')).getByRole('button', { name: 'Start again' })).toBeTruthy()
})

it('has one tab stop, and goes by the arrows from the search through all tools', () => {
  list()
  const field = screen.getByRole('searchbox', { name: 'Search tools' })
  expect(document.activeElement).toBe(field)
  fireEvent.keyDown(field, { key: 'ArrowDown' })
  const all = items()
  expect(document.activeElement).toBe(all[0])
  fireEvent.keyDown(document.activeElement ?? field, { key: 'End' })
  expect(document.activeElement).toBe(all.at(-1))
  expect(all.map((each) => each.tabIndex)).toEqual([-1, -1, -1, 0])
  fireEvent.keyDown(document.activeElement ?? field, { key: 'Home' })
  fireEvent.keyDown(document.activeElement ?? field, { key: 'ArrowUp' })
  expect(document.activeElement).toBe(field)
})

it('has the tool that is open in sight', () => {
  const shown = vi.spyOn(Element.prototype, 'scrollIntoView')
  list({ source: 'mcp/two', name: 'search' })
  expect(shown.mock.contexts).toEqual([within(source('mcp/two')).getByRole('button', { current: 'page' })])
  shown.mockRestore()
})

it('says when nothing matches, and shows all again', async () => {
  list()
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search tools' }), { target: { value: 'nowhere' } })
  expect(document.body.textContent).toContain('Nothing matches ‘nowhere’.')
  fireEvent.click(screen.getByRole('button', { name: 'Clear search' }))
  expect(items()).toHaveLength(4)
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } })
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
})
