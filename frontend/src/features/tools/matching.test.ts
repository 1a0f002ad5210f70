// @vitest-environment node
import { expect, it } from 'vitest'
import { listed } from '../../test/tools'
import { matching } from './matching'

const sources = [
  listed('words', [{ name: 'search', sideEffects: ['network'] }, { name: 'replace' }]),
  listed('files', [{ name: 'search', tags: ['ripgrep'] }]),
]

function found(query: string): string[] {
  return matching(sources, query).flatMap((source) => source.tools.map((tool) => `${source.id} ${tool.name}`))
}

it('I9 finds tools of one name in each of their sources, and by the source in one', () => {
  expect(found('Search')).toEqual(['words search', 'files search'])
  expect(found('search words')).toEqual(['words search'])
})

it('finds by tag and side effect, everything without a query, and nothing where nothing fits', () => {
  expect(found('RIPGREP')).toEqual(['files search'])
  expect(found('network')).toEqual(['words search'])
  expect(found('  ')).toHaveLength(3)
  expect(found('nowhere')).toEqual([])
})
