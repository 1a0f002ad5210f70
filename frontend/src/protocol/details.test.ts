// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Block, detailsBlocks } from './details'
import { readGolden, testdata } from './testdata'

const details = (name: string) => detailsBlocks(readFileSync(`${testdata}/details/${name}.json`, 'utf8'))

function plain(block: Block): Record<string, unknown> {
  const kept = Object.entries(block).filter(([name, value]) => name === 'raw' || value !== undefined)
  return Object.fromEntries(kept.filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)))
}

describe('the shared details give their blocks', () => {
  const names = readdirSync(`${testdata}/details`).filter((name) => !name.endsWith('.blocks.json'))
  it.each(names.map((name) => name.replace('.json', '')))('%s', (name) => {
    expect(details(name).map(plain)).toEqual(readGolden(`details/${name}.blocks.json`))
  })
})

it('every byte of what is no block is kept', () => {
  const [text, rest] = details('lossless-rest')
  expect(text?.kind).toBe('text')
  for (const want of [
    '"id":2512292042121000001',
    '"x":1.0',
    '"y":1e400',
    '"a":1,"a":2',
    '"__proto__":{"admin":true}',
    '"\\u006bey":"\\ud83d"',
    '"10":0,"9":0',
  ]) {
    expect(rest?.raw).toContain(want)
  }
})

describe('blocks are drawn by member names that fit', () => {
  it.each([
    ['diff-and-rest', 'diff json'],
    ['every-kind', 'text markdown diff terminal code table image file progress'],
    ['does-not-fit', 'json'],
    ['does-not-fit-2', 'json'],
    ['optional-members', 'code table image file progress'],
    ['array', 'diff diff json'],
    ['array-of-blocks', 'text terminal'],
    ['repeated-block', 'diff diff diff'],
    ['too-exact-a-number', 'json'],
    ['null', ''],
    ['empty-object', 'json'],
    ['broken', 'json'],
    ['deep', 'text json'],
  ])('%s: %s', (name, kinds) => {
    expect(
      details(name)
        .map((b) => b.kind)
        .join(' '),
    ).toBe(kinds)
  })
})
