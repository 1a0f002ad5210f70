// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { escapeInvisible, visiblePieces } from './text'

// CASES C12: nothing that hides or reorders text reaches the screen without a mark.
describe('invisible and reordering characters are escaped', () => {
  it.each([
    ['a right-to-left override', 'rm \u202efdp.exe', 'rm \\u202efdp.exe'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a zero-width joiner between letters', 'a\u200db', 'a\\u200db'],
    ['ANSI', '\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['NUL, backspace and delete', 'a\0\b\x7f', 'a\\u0000\\u0008\\u007f'],
    ['a carriage return that overwrites a line', 'safe\revil', 'safe\\u000devil'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a no-break space', 'rm\u00a0-rf', 'rm\\u00a0-rf'],
    ['tags', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a filler that looks like a space', 'a\u3164b\u2800c', 'a\\u3164b\\u2800c'],
    ['a lone surrogate', 'a\ud83d', 'a\\ud83d'],
    ['a variation selector behind a letter', 'a\ufe0fb', 'a\\ufe0fb'],
    ['a soft hyphen and a byte order mark', 'a\u00adb\ufeff', 'a\\u00adb\\ufeff'],
    ['500 spaces before a command', `ls${' '.repeat(500)}; rm -rf`, 'ls⟨500 spaces⟩; rm -rf'],
    ['100 line feeds before a command', `ls${'\n'.repeat(100)}rm -rf`, 'ls⟨100 empty lines⟩rm -rf'],
  ])('%s', (_name, text, want) => {
    expect(escapeInvisible(text)).toBe(want)
  })
})

describe('what can be seen stays as it is', () => {
  it.each([
    ['words, tabs and line ends', 'func main() {\r\n\treturn\n}\n'],
    ['other scripts', 'naïve 世界 Привет שלום नमस्ते'],
    ['emoji of one and of several characters', '🙂 👩‍💻 👍🏽 ❤️ 🏳️‍🌈 1️⃣ ©'],
    ['deep indentation', `${' '.repeat(48)}x`],
    ['nothing', ''],
  ])('%s', (_name, text) => {
    expect(escapeInvisible(text)).toBe(text)
  })
})

it('pieces tell marks from text that looks like one', () => {
  expect(visiblePieces('\\u202e\u202e')).toEqual([
    { text: '\\u202e', mark: false },
    { text: '\\u202e', mark: true },
  ])
})
