import { expect, it, vi } from 'vitest'
import { Commands } from './commands'
import { commandTable } from './keyTable'
import { menusNow } from './menuTable'

const entries = (commands: Commands) => menusNow(commands).flatMap(({ parts }) => parts.flat())

it('has every command at most once, with the name and the first key of the one table', () => {
  const all = entries(new Commands())
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const { id, name, key } of all) {
    const command = commandTable.find((each) => each.id === id)
    expect([name, key]).toEqual([command?.name, command?.keys[0]])
  }
})

it('shows no single letter while those are switched off', () => {
  const commands = new Commands()
  const keys = () =>
    ['approve', 'playback', 'settings'].map((id) => entries(commands).find((each) => each.id === id)?.key)
  expect(keys()).toEqual(['A', 'P', 'Ctrl+,'])
  commands.setSingleKeys(false)
  expect(keys()).toEqual([undefined, undefined, 'Ctrl+,'])
})

it('says why an entry cannot be chosen, and not of one that can', () => {
  const commands = new Commands()
  const stop = () => entries(commands).find(({ id }) => id === 'stop')
  expect(stop()).toMatchObject({ enabled: false, because: 'No run is live in this thread' })
  commands.lend('stop', vi.fn())
  expect(stop()).toMatchObject({ enabled: true })
  expect(stop()?.because).toBeUndefined()
})

it('marks the choice that stands', () => {
  const commands = new Commands()
  commands.lend('theme-light', vi.fn())
  const checked = entries(commands).filter((each) => each.checked)
  expect(checked.map(({ id }) => id)).toEqual(['theme-system', 'theme-dark'])
})

it('leaves the keys of a menu bar to it', () => {
  const commands = new Commands()
  const settings = vi.fn()
  commands.lend('settings', settings)
  const press = () => commands.press(new KeyboardEvent('keydown', { key: ',', metaKey: true }), false)
  expect(press()).toBe(true)
  commands.leaveToBar(['Ctrl+,'])
  expect(press()).toBe(false)
  expect(commands.choose('settings', false)).toBe(true)
  expect(commands.choose('settings', true)).toBe(false)
  expect(settings).toHaveBeenCalledTimes(2)
})
