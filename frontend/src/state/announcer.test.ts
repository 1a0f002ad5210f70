// @vitest-environment node
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Announcer } from './announcer'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function hear() {
  const announcer = new Announcer()
  const said: string[] = []
  announcer.said.subscribe(() => announcer.said.get() && said.push(announcer.said.get()))
  return { announcer, said }
}

it('the first sentence is said at once, what follows in a second together', () => {
  const { announcer, said } = hear()
  announcer.say('Deploy needs approval')
  expect(said).toEqual(['Deploy needs approval'])
  announcer.say('2 calls finished')
  announcer.say('2 calls finished')
  announcer.say('The agent replied')
  expect(said).toHaveLength(1)
  vi.advanceTimersByTime(1000)
  expect(said.slice(1)).toEqual(['2 calls finished. The agent replied'])
})

it('a sentence is heard again when it is said again', () => {
  const { announcer, said } = hear()
  announcer.say('Deploy needs approval')
  vi.advanceTimersByTime(5000)
  announcer.say('Deploy needs approval')
  expect(said).toEqual(['Deploy needs approval', 'Deploy needs approval'])
})
