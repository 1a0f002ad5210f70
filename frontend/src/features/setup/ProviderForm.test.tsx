import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { App, AppContext } from '../../state/app'
import { FakeTransport, ok } from '../../test/fake'
import type { Answer } from '../../transport/transport'
import { ProviderForm } from './ProviderForm'

/** Saves and tests a new server that answers the test so. */
async function tested(result: object, words: string) {
  const transport = new FakeTransport()
  const found = {
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:1/v1',
    models: [],
    source: 'local' as const,
  }
  transport.on('GET /studio/state', () => ok({ settings: {} }))
  transport.on('PUT /studio/settings', () => ok({}))
  transport.on('PUT /studio/providers/ollama', () => ok(found))
  transport.on('POST /studio/providers/ollama/models', () => ok({ ...result, ok: true, toolCall: false }))
  transport.on('POST /studio/providers/ollama/test', () => ok(result))
  render(
    <AppContext value={new App(transport)}>
      <ProviderForm found={found} onDone={() => undefined} />
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Save and test' }))
  const outcome = await waitFor(() => {
    const status = screen.getByRole('status')
    expect(status.textContent).toContain(words)
    return status
  })
  return { transport, outcome }
}

describe('the test of a model', () => {
  it.each<[string, object, string, string]>([
    ['works', { ok: true, models: [], toolCall: true }, 'Works', 'text-ok'],
    ['warns of a model that calls no tool', { ok: true, models: [], toolCall: false }, 'Warning', 'text-wait'],
    [
      'fails with the server’s words',
      { ok: false, error: { message: 'no such key' } },
      'Failed: no such key',
      'text-err',
    ],
  ])('%s', async (_, result, words, tone) => {
    const { outcome } = await tested(result, words)
    expect(outcome.className).toContain(tone)
  })

  it('is said no more once something else is written', async () => {
    await tested({ ok: true, models: [], toolCall: true }, 'Works')
    fireEvent.input(screen.getByLabelText('Model'), { target: { value: 'another' } })
    expect(screen.queryByText('Works:')).toBeNull()
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'another')
  })

  it('takes the first model of the server where none was typed, and the server for new threads', async () => {
    const { transport } = await tested({ ok: true, models: ['m-1', 'm-2'], toolCall: true }, 'Works')
    const saved = () =>
      transport.asked.filter(({ path }) => path === '/studio/providers/ollama').map(({ body }) => body)
    await waitFor(() => expect(saved().at(-1)).toContain('"model":"m-1"'))
    expect(transport.asked.find(({ path }) => path === '/studio/settings')?.body).toContain('"providerId":"ollama"')
  })
})

describe('a model that does not answer', () => {
  it('is waited for with its server’s models shown, and can be left: it is saved', async () => {
    const transport = new FakeTransport()
    transport.on('GET /studio/state', () => ok({ settings: {} }))
    transport.on('PUT /studio/settings', () => ok({}))
    const waiting: ((answer: Answer) => void)[] = []
    const found = {
      id: 'ollama',
      name: 'Ollama',
      baseUrl: 'http://127.0.0.1:1/v1',
      models: [],
      source: 'local' as const,
    }
    transport.on('PUT /studio/providers/ollama', () => ok(found))
    transport.on('POST /studio/providers/ollama/models', () => ok({ ok: true, models: ['m-1', 'm-2'] }))
    transport.on('POST /studio/providers/ollama/test', () => new Promise((answer) => waiting.push(answer)))
    render(
      <AppContext value={new App(transport)}>
        <ProviderForm found={found} onDone={() => undefined} />
      </AppContext>,
    )
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'Save and test' }))
    await screen.findByText(/^Asking m-1 to call a tool/)
    expect(screen.getByText('2 models known: m-1, m-2')).toBeDefined()
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'm-1')
    expect(screen.getByRole('button', { name: 'Close' })).toBeDefined()
    waiting[0]?.(ok({ ok: true, models: ['m-1', 'm-2'], toolCall: true }))
    await screen.findByText(/its model called a tool/)
    expect(screen.queryByText(/^Asking/)).toBeNull()
  })
})

describe('the form of a model', () => {
  const draw = (mend?: 'model' | 'key') => {
    const transport = new FakeTransport()
    transport.on('GET /studio/state', () => ok({ settings: {} }))
    render(
      <AppContext value={new App(transport)}>
        <ProviderForm mend={mend} onDone={() => undefined} />
      </AppContext>,
    )
    return transport
  }

  it('says at the field that a model is missing, and saves nothing without one', () => {
    const transport = draw()
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const model = screen.getByLabelText('Model')
    expect(document.activeElement).toBe(model)
    expect(model.getAttribute('aria-invalid')).toBe('true')
    expect(transport.asked.some(({ path }) => path.startsWith('/studio/providers'))).toBe(false)
    fireEvent.input(model, { target: { value: 'm-1' } })
    expect(model.getAttribute('aria-invalid')).toBeNull()
  })

  it.each([
    ['model', 'Model'],
    ['key', 'Key'],
  ] as const)('begins at the %s that has to be mended', (mend, label) => {
    draw(mend)
    expect(document.activeElement).toBe(screen.getByLabelText(label))
  })
})
