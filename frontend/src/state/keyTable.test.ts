import { describe, expect, it, vi } from 'vitest'
import { Commands } from './commands'
import { commandTable, keyWords, listKeys, stroke, windowKeys } from './keyTable'

const press = (key: string, held: Partial<KeyboardEventInit> = {}) => new KeyboardEvent('keydown', { key, ...held })

describe('the table of keys', () => {
  it('gives no key of a place to two commands', () => {
    for (const place of ['window', 'list'] as const) {
      const keys = commandTable.filter((each) => each.place === place).flatMap((each) => each.keys)
      expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
    }
  })

  it('has no id twice', () => {
    expect(new Set(commandTable.map(({ id }) => id)).size).toBe(commandTable.length)
  })

  it.each([
    [press('k', { ctrlKey: true }), 'palette'],
    [press('K', { metaKey: true }), 'palette'],
    [press('O', { ctrlKey: true, shiftKey: true }), 'new-thread'],
    [press('F3', { shiftKey: true }), 'find-previous'],
    [press('/', { ctrlKey: true }), 'keyboard'],
    [press('/', { ctrlKey: true, shiftKey: true }), 'keyboard'],
    [press('k', { ctrlKey: true, altKey: true }), undefined],
    [press('k'), undefined],
  ])('knows what a press means in the window', (event, want) => {
    expect(windowKeys.get(stroke(event))).toBe(want)
  })

  it.each([
    ['j', 'row-next'],
    ['?', 'keyboard'],
    ['.', 'next-approval'],
    ['ArrowLeft', 'close'],
  ])('knows what %s means in a list', (key, want) => {
    expect(listKeys.get(stroke(press(key)))).toBe(want)
  })

  it('draws a key as words', () => {
    expect(keyWords('Shift+ArrowLeft')).toBe('Shift ←')
  })
})

describe('the commands', () => {
  it('run while they are lent, the last one lent first', () => {
    const commands = new Commands()
    const [first, second] = [vi.fn(), vi.fn()]
    const back = commands.lend('rename', first)
    const backToo = commands.lend('rename', second)
    expect(commands.run('rename')).toBe(true)
    backToo()
    commands.run('rename')
    back()
    expect(commands.can('rename')).toBe(false)
    expect(commands.run('rename')).toBe(false)
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1])
  })

  it('rest while a dialog is open, but for its own', () => {
    const commands = new Commands()
    const [rename, inbox] = [vi.fn(), vi.fn()]
    commands.lend('rename', rename)
    commands.lend('inbox', inbox, true)
    expect(commands.press(press('F2'), true)).toBe(false)
    expect(commands.press(press('j', { ctrlKey: true }), true)).toBe(true)
    expect(commands.press(press('F2'), false)).toBe(true)
    expect([rename.mock.calls.length, inbox.mock.calls.length]).toEqual([1, 1])
  })

  it('remember that single letters are switched off', () => {
    new Commands().setSingleKeys(false)
    expect(new Commands().singleKeys.get()).toBe(false)
    new Commands().setSingleKeys(true)
    expect(new Commands().singleKeys.get()).toBe(true)
  })
})
