import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

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

  // What is loaded when it is first asked for takes its time on a busy machine.
  configure({ asyncUtilTimeout: 15_000 })

  afterEach(() => {
    cleanup()
    sessionStorage.clear()
    localStorage.clear()
  })
}
