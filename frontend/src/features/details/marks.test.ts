// @vitest-environment node
import { expect, it } from 'vitest'
import { oddities } from './marks'

it.each([
  ['{"a":1,"b":[true,null,"x",1.5]}', []],
  ['{"a":{"b":[2512292042121000001,1e400,1.0]}}', ['2 big numbers']],
  ['{"a":{"x":1,"x":2}}', ['2 repeated keys']],
  ['{"path":"safe","PATH":"/etc"}', ['2 keys differ only in case']],
  ['{"a":["ls\u200b\u202e"]}', ['2 hidden characters']],
  ['{"a":"ls\\u200b"}', ['1 hidden character']],
  ['{"a":"ls\\\\u200b"}', []],
  [`{"a":"ls${' '.repeat(500)}; rm -rf"}`, ['1 hidden character']],
  ['{"a":\u202e', ['1 hidden character']],
  ['', []],
])('in %s a reader might overlook %j', (text, want) => {
  expect(oddities(text)).toEqual(want)
})

it('a text nested 10,001 deep is looked at within reason', () => {
  const begin = performance.now()
  oddities('['.repeat(10_001) + ']'.repeat(10_001))
  expect(performance.now() - begin).toBeLessThan(2000)
})
