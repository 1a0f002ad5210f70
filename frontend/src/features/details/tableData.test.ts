// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { cellOf, cellsOf, columnsOf, sortRows, tsv } from './tableData'

const column = (jsons: string[], down = false) =>
  sortRows(
    cellsOf(
      ['c'],
      jsons.map((json) => [json]),
    ),
    0,
    down,
  ).map((row) => row[0]?.text)

describe('a table', () => {
  it.each([
    ['"10"', { text: '10', number: false }],
    ['1.0', { text: '1.0', number: true }],
    ['2512292042121000001', { text: '2512292042121000001', number: true }],
    ['{"a": 1}', { text: '{"a": 1}', number: false }],
    ['null', { text: 'null', number: false }],
  ])('reads the cell %s', (json, want) => {
    expect(cellOf(json)).toEqual(want)
  })

  it.each([
    ['numbers by their value', ['10', '-5', '9', '1.0', '-10'], ['-10', '-5', '1.0', '9', '10']],
    [
      'numbers that JavaScript takes for one',
      ['2512292042121000003', '2512292042121000001'],
      ['2512292042121000001', '2512292042121000003'],
    ],
    ['words as people do', ['"b10"', '"b9"', '"A"'], ['A', 'b9', 'b10']],
    ['numbers before words', ['"x"', '2'], ['2', 'x']],
  ])('sorts %s', (_, jsons, want) => {
    expect(column(jsons)).toEqual(want)
    expect(column(jsons, true)).toEqual(want.toReversed())
  })

  it('keeps equal rows in their order, up and down', () => {
    const cells = cellsOf(
      ['k', 'n'],
      [
        ['1', '"a"'],
        ['1', '"b"'],
      ],
    )
    for (const down of [false, true]) expect(sortRows(cells, 0, down).map((row) => row[1]?.text)).toEqual(['a', 'b'])
  })

  it('gives each row a cell for every column, and no more', () => {
    expect(cellsOf(['a', 'b'], [['1'], ['1', '2', '3']]).map((row) => row.map((cell) => cell.text))).toEqual([
      ['1', ''],
      ['1', '2'],
    ])
  })

  it('is as wide as its texts, within bounds', () => {
    const cells = cellsOf(['n', 'text'], [['1', `"${'x'.repeat(200)}"`]])
    expect(columnsOf(['n', 'text'], cells)).toEqual([
      { name: 'n', width: 4, numbers: true },
      { name: 'text', width: 48, numbers: false },
    ])
  })

  it('is copied as tab-separated text, a line a row', () => {
    expect(tsv(['a', 'b'], cellsOf(['a', 'b'], [['"x\\ty\\nz"', '1.0']]))).toBe('a\tb\nx y z\t1.0')
  })
})
