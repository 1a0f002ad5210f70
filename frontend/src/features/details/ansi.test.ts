// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { terminalLines } from './ansi'

const esc = '\u001b'

describe('terminal text', () => {
  it.each([
    ['plain', [[{ text: 'plain' }]]],
    [`${esc}[32mok${esc}[0m rest`, [[{ text: 'ok', color: 2 }, { text: ' rest' }]]],
    [`${esc}[1;91mbad${esc}[22;39m`, [[{ text: 'bad', bold: true, color: 9 }]]],
    [`${esc}[38;5;196mred`, [[{ text: 'red', color: 'rgb(255 0 0)' }]]],
    [`${esc}[48;2;1;2;3mx`, [[{ text: 'x', background: 'rgb(1 2 3)' }]]],
    [`${esc}[31ma\nb`, [[{ text: 'a', color: 1 }], [{ text: 'b', color: 1 }]]],
    ['10%\r50%\r100%\ndone\n', [[{ text: '100%' }], [{ text: 'done' }]]],
    ['kept\r', [[{ text: 'kept' }]]],
    ['a\r\nb', [[{ text: 'a' }], [{ text: 'b' }]]],
    [`${esc}[2K${esc}[1Gx${esc}]0;title\u0007y`, [[{ text: 'x' }, { text: 'y' }]]],
  ])('%j', (text, want) => {
    const seen = terminalLines(text).map((line) =>
      line.map((span) => Object.fromEntries(Object.entries(span).filter(([, value]) => value !== undefined))),
    )
    expect(seen).toEqual(want)
  })
})
