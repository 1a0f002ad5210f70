import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { approval, approvalRequired, call, finish, message, start, state, turn } from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { Dock } from './Dock'

const long = 'Runs a command. '.repeat(40)

async function dock() {
  const asks = approvalRequired(approval('c1', '{"environment":"staging"}', { description: long }))
  const log = [start(), message('Go.'), turn(1), ...call('c1', 'deploy', '{}'), state('c1', 'waiting'), asks]
  const { app, store } = await openThread([...log, finish('paused')], 'paused')
  const { waiting } = store.state.get()
  const [docked] = waiting
  if (!docked) throw new Error('nothing waits')
  const onWheel = vi.fn()
  renderIn(app, store, <Dock waiting={waiting} docked={docked} onShow={() => undefined} onWheel={onWheel} />)
  const asked = screen.getByRole('region', { name: 'What is asked' })
  return { asked, onWheel }
}

/** Gives an element a size the page has no layout for. */
function size(element: Element, sizes: { scrollHeight: number; clientHeight: number }) {
  for (const [name, value] of Object.entries(sizes)) Object.defineProperty(element, name, { value, configurable: true })
}

describe('the docked decision', () => {
  it('leaves the wheel to the thread where it does not scroll itself', async () => {
    const { asked, onWheel } = await dock()
    fireEvent.wheel(asked, { deltaY: -90 })
    expect(onWheel).toHaveBeenLastCalledWith(-90)
    fireEvent.wheel(asked, { deltaY: 3, deltaMode: WheelEvent.DOM_DELTA_LINE })
    expect(onWheel).toHaveBeenLastCalledWith(48)
  })

  it('scrolls what is asked, up to its ends', async () => {
    const { asked, onWheel } = await dock()
    size(asked, { scrollHeight: 300, clientHeight: 100 })
    asked.setAttribute('style', 'overflow-y: auto')
    fireEvent.wheel(asked, { deltaY: 90 })
    expect(onWheel).not.toHaveBeenCalled()
    fireEvent.wheel(asked, { deltaY: -90 })
    expect(onWheel).toHaveBeenCalledWith(-90)
  })

  it('says in a line why it asks, and all of it when asked', async () => {
    vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(96)
    await dock()
    expect(screen.getByText(long.trim()).className).toContain('line-clamp-1')
    fireEvent.click(screen.getByRole('button', { name: 'More of why it asks' }))
    expect(screen.getByText(long.trim()).className).not.toContain('line-clamp-1')
    expect(screen.getByRole('button', { name: 'Less of why it asks' })).toBeTruthy()
  })
})
