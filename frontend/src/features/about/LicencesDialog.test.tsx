import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import LicencesDialog from './LicencesDialog'

const parts = [
  { name: 'github.com/a/b', version: 'v1.2.0', from: 'Go', licences: ['Apache-2.0'], text: 'The text of b.' },
  { name: 'react', version: '19.0.0', from: 'npm', licences: ['MIT'], text: 'The text of react.' },
  { name: 'virtua', version: '0.5.0', from: 'npm', licences: ['MIT'], text: 'The text of virtua.' },
]

const answers = (answer: () => Response) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => answer()),
  )
const row = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) })

afterEach(() => vi.unstubAllGlobals())

it('lists what is in the program, and shows the text of one', async () => {
  answers(() => Response.json(parts))
  render(<LicencesDialog onClose={() => undefined} />)
  fireEvent.click(await screen.findByRole('button', { name: /^react/ }))
  expect(row('react').textContent).toContain('19.0.0 (npm)MIT')
  expect(row('react').getAttribute('aria-expanded')).toBe('true')
  expect(screen.getByText('The text of react.')).toBeTruthy()
  fireEvent.click(row('react'))
  expect(screen.queryByText('The text of react.')).toBeNull()
})

it('goes from part to part with the arrows, and has one tab stop', async () => {
  answers(() => Response.json(parts))
  render(<LicencesDialog onClose={() => undefined} />)
  const search = await screen.findByRole('searchbox', { name: 'Search by name or licence' })
  search.focus()
  fireEvent.keyDown(search, { key: 'ArrowDown' })
  expect(document.activeElement).toBe(row('github'))
  for (const [key, name] of [
    ['ArrowDown', 'react'],
    ['End', 'virtua'],
    ['ArrowDown', 'virtua'],
    ['Home', 'github'],
  ] as const) {
    fireEvent.keyDown(document.activeElement ?? document.body, { key })
    expect(document.activeElement).toBe(row(name))
  }
  expect(['github', 'react', 'virtua'].map((name) => row(name).tabIndex)).toEqual([0, -1, -1])
  fireEvent.keyDown(row('github'), { key: 'ArrowUp' })
  expect(document.activeElement).toBe(search)
})

it('finds parts by name and by licence', async () => {
  answers(() => Response.json(parts))
  render(<LicencesDialog onClose={() => undefined} />)
  const search = await screen.findByRole('searchbox', { name: 'Search by name or licence' })
  const found = (query: string) => {
    fireEvent.change(search, { target: { value: query } })
    return screen.queryAllByRole('listitem').length
  }
  expect([found('apache'), found('MIT'), found('VIRTUA'), found('gpl')]).toEqual([1, 2, 1, 0])
  fireEvent.click(screen.getByRole('button', { name: 'Clear search' }))
  expect(screen.queryAllByRole('listitem').length).toBe(3)
})

it('says why there are none, and tries again', async () => {
  answers(() => new Response('', { status: 404 }))
  render(<LicencesDialog onClose={() => undefined} />)
  expect((await screen.findByRole('alert')).textContent).toContain('status 404')
  answers(() => Response.json(parts))
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(row('react')).toBeTruthy()
})
