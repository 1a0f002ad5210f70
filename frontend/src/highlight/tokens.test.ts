// @vitest-environment node
import { describe, expect, it, vi } from 'vitest'
import { type Language, languageName, languageNow, languageOfPath } from './languages'
import { Highlighter, tokensHtml } from './tokens'

async function load(name: string): Promise<Language> {
  return vi.waitFor(() => {
    const language = languageNow(name)
    if (!language) throw new Error(`${name} is not there yet`)
    return language
  })
}

const samples: [string, string, string[]][] = [
  ['go', 'package main\n\n// hi\nfunc main() { x := "a<b" }', ['keyword:package', 'comment:// hi', 'string:"a<b"']],
  ['ts', 'const n: number = 1 // one', ['keyword:const', 'number:1', 'comment:// one']],
  ['py', 'def f():\n  return """a\nb"""', ['keyword:return', 'string:b"""']],
  ['sh', 'if true; then echo "$X"; fi', ['keyword:if']],
  ['json', '{"a": [1, true]}', ['number:1']],
  ['sql', "select 'x' from t", ['keyword:select']],
  ['yaml', 'a: 1 # note', ['comment:# note']],
  ['html', '<a href="x">', ['name:a']],
  ['rs', 'fn main() {}', ['keyword:fn']],
]

describe('code', () => {
  it.each(samples)('in %s has its colours, and no character is lost', async (name, code, want) => {
    const lines = code.split('\n')
    const highlighter = new Highlighter(lines, await load(name))
    const tokens = lines.map((_, index) => highlighter.line(index))
    expect(tokens.map((line) => line.map((token) => token.text).join(''))).toEqual(lines)
    const found = tokens.flat().map((token) => `${token.kind}:${token.text.trim()}`)
    for (const each of want) expect(found).toContain(each)
  })

  it('is read once a line, whichever is looked at first', async () => {
    const lines = ['/*', 'inside', '*/ var x']
    expect(new Highlighter(lines, await load('go')).line(1)).toEqual([{ text: 'inside', kind: 'comment' }])
  })

  it('with a mode that stands still comes out whole', () => {
    const stuck: Language = { token: () => null }
    expect(new Highlighter(['abc'], stuck).line(0)).toEqual([{ text: 'abc', kind: undefined }])
  })

  it('of 10,000 lines takes no second', async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `func f${i}(a string) error { return fmt.Errorf("no %d", ${i}) } // end`,
    )
    const highlighter = new Highlighter(lines, await load('go'))
    const begin = performance.now()
    highlighter.line(9_999)
    expect(performance.now() - begin).toBeLessThan(2000)
  })
})

it.each([
  ['GO', 'go'],
  ['js {1,3}', 'js'],
  ['', undefined],
  ['constructor', undefined],
  ['klingon', undefined],
])('the word %j names %s', (word, want) => {
  expect(languageName(word)).toBe(want)
})

it.each([
  ['a/b.test.TS', 'ts'],
  ['C:\\x\\Dockerfile', 'dockerfile'],
  ['.env', 'env'],
  ['README', undefined],
])('the file %s is in %s', (path, want) => {
  expect(languageOfPath(path)).toBe(want)
})

it('tokens become HTML without becoming markup', () => {
  expect(tokensHtml([{ text: '<img src="x">&', kind: 'string' }, { text: ' a' }])).toBe(
    '<span class="tok-string">&lt;img src=&quot;x&quot;&gt;&amp;</span> a',
  )
})
