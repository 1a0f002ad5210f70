// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { isJsonError, parseJson } from '../../protocol/json'
import { Tree } from './tree'

function tree(text: string): Tree {
  const root = parseJson(text)
  if (isJsonError(root)) throw new Error(root.message)
  return new Tree(root)
}

const unchosen = () => undefined
const drawn = (of: Tree, chosen: (path: string) => boolean | undefined = unchosen) =>
  of.rows(chosen).map((row) => `${'  '.repeat(row.depth)}${row.keyText ?? ''}|${row.kind}|${row.path}`)

describe('a tree', () => {
  it('begins with its upper branches open', () => {
    expect(drawn(tree('{"a":1,"b":{"c":[2,[]]},"d":{}}'))).toEqual([
      '|open|',
      '  "a"|leaf|0',
      '  "b"|open|1',
      '    "c"|open|1.0',
      '      |leaf|1.0.0',
      '      |leaf|1.0.1',
      '    |end|1.0',
      '  |end|1',
      '  "d"|leaf|2',
      '|end|',
    ])
  })

  it('leaves large and deep branches closed', () => {
    const kinds = tree('{"large":[1,2,3,4,5,6,7,8,9],"deep":{"a":{"b":{"c":{}}}}}').rows(unchosen)
    expect(kinds.filter((row) => row.kind === 'closed').map((row) => row.keyText)).toEqual(['"large"', '"b"'])
  })

  it('follows its reader, and keeps how the rest began', () => {
    const of = tree('{"a":{"x":1},"b":[1,2,3,4,5,6,7,8,9]}')
    of.rows(unchosen)
    expect(drawn(of, (path) => ({ '0': false, '1': true })[path])).toHaveLength(14)
    expect(drawn(of, (path) => (path === '' ? false : undefined))).toEqual(['|closed|'])
  })

  it('keeps every token and marks what a reader might overlook', () => {
    const rows = tree('{"n":1.0,"n":1e400,"id":2512292042121000001,"ID":0,"__proto__":{"a":1}}').rows(unchosen)
    expect(rows.map((row) => [row.keyText, row.kind === 'leaf' && row.value.text, row.mark])).toEqual([
      [undefined, false, undefined],
      ['"n"', '1.0', 'duplicate key'],
      ['"n"', '1e400', 'duplicate key'],
      ['"id"', '2512292042121000001', 'differs only in case'],
      ['"ID"', '0', 'differs only in case'],
      ['"__proto__"', false, undefined],
      ['"a"', '1', undefined],
      [undefined, false, undefined],
      [undefined, false, undefined],
    ])
  })

  it('of 1,000 levels opens to its end', () => {
    const rows = tree('['.repeat(1000) + ']'.repeat(1000)).rows(() => true)
    expect(rows).toHaveLength(1999)
  })

  it('of 1 MB stands at once, with its large branches closed', () => {
    const record = (i: number) => ({ id: i, name: `record ${i}`, tags: ['a', 'b'], nested: { deep: { deeper: i } } })
    const text = JSON.stringify({ records: Array.from({ length: 13_000 }, (_, i) => record(i)), total: 13_000 })
    expect(text.length).toBeGreaterThan(1_000_000)
    const begin = performance.now()
    const of = tree(text)
    expect(of.rows(unchosen)).toHaveLength(4)
    expect(performance.now() - begin).toBeLessThan(1000)
    expect(of.rows(() => true).length).toBeGreaterThan(100_000)
  })
})
