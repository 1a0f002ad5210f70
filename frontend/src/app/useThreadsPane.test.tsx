import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { App } from '../state/app'
import { FakeTransport } from '../test/fake'
import { useThreadsPane } from './useThreadsPane'

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

/** The list of threads in a window that is opened anew. */
function opened(narrow = false) {
  vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: narrow }))
  const app = new App(new FakeTransport())
  const { result, unmount } = renderHook(() => useThreadsPane(app))
  const toggle = () => act(() => result.current[1]())
  return { shown: () => result.current[0], toggle, unmount }
}

it('is as it was left in a wide window', () => {
  const first = opened()
  expect(first.shown()).toBe(true)
  first.toggle()
  expect(first.shown()).toBe(false)
  first.unmount()
  const second = opened()
  expect(second.shown()).toBe(false)
  second.toggle()
  second.unmount()
  expect(opened().shown()).toBe(true)
})

it('is closed at first in a narrow window, whose opening and closing is not kept', () => {
  const first = opened(true)
  expect(first.shown()).toBe(false)
  first.toggle()
  expect(first.shown()).toBe(true)
  first.toggle()
  first.unmount()
  expect(opened().shown()).toBe(true)
})
