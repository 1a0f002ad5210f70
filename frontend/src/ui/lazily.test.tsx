import { act, render, screen } from '@testing-library/react'
import { type ComponentType, Suspense } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { lazily } from './lazily'

const There = () => <p>it is there</p>

/** A part that cannot be loaded the first so many times. */
function part(fails: number) {
  const load = vi.fn(async (): Promise<ComponentType> => {
    if (load.mock.calls.length <= fails) throw new Error('no connection')
    return There
  })
  return { load, Part: lazily(load) }
}

const shown = async (Part: ComponentType) => {
  const { unmount } = await act(async () =>
    render(
      <Suspense>
        <Part />
      </Suspense>,
    ),
  )
  return { text: document.body.textContent, unmount }
}

describe('a part that is loaded when it is shown', () => {
  it('is loaded once', async () => {
    const { load, Part } = part(0)
    for (let i = 0; i < 2; i++) {
      const { text, unmount } = await shown(Part)
      expect(text).toBe('it is there')
      unmount()
    }
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('says that it could not be, without taking the page along, and is asked for again the next time', async () => {
    const { load, Part } = part(1)
    const first = await shown(Part)
    expect(first.text).toContain('could not be loaded')
    expect(load).toHaveBeenCalledTimes(1)
    first.unmount()
    expect((await shown(Part)).text).toBe('it is there')
  })

  it('closes what can be closed', async () => {
    const onClose = vi.fn()
    const Part = lazily<{ onClose: () => void }>(async () => {
      throw new Error('no connection')
    })
    await act(async () =>
      render(
        <Suspense>
          <Part onClose={onClose} />
        </Suspense>,
      ),
    )
    expect(onClose).toHaveBeenCalledTimes(1)
    expect(screen.queryByText(/could not be loaded/)).toBeNull()
  })

  it('can be asked for before, and tells whether it is there', async () => {
    const { Part } = part(1)
    expect([await Part.load(), await Part.load()]).toEqual([false, true])
  })
})
