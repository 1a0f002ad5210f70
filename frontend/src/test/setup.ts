import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

/** So long, in ms, what is waited for may take on a busy machine. */
const patience = 15_000

const { waitFor } = vi
vi.waitFor = (look, options) =>
  waitFor(look, { timeout: patience, ...(typeof options === 'number' ? { timeout: options } : options) })

// Tests of pure code run without a page.
if (typeof window !== 'undefined') {
  // What jsdom does not have.
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  Element.prototype.scrollIntoView = () => undefined

  configure({ asyncUtilTimeout: patience })

  afterEach(() => {
    cleanup()
    sessionStorage.clear()
    localStorage.clear()
  })
}
