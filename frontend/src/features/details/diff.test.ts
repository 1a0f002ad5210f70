// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { readDiff } from './diff'
import { splitRows, unifiedRows } from './diffRows'

const diff = `--- a/server.go
+++ b/server.go
@@ -41,3 +41,5 @@ func main() {
 srv := &http.Server{
-  Addr: ":8080",
+  Addr: addr,
+  ReadHeaderTimeout: 5,
+  BaseContext: base,
 }
`

const context = (n: number) => Array.from({ length: n }, (_, i) => ` line ${i}\n`).join('')

describe('a unified diff', () => {
  it('has the numbers of both sides', () => {
    const [file] = readDiff(diff)
    expect(file).toMatchObject({ path: 'server.go', added: 3, removed: 1 })
    expect(file?.hunks[0]).toMatchObject({ heading: 'func main() {', skipped: 40 })
    const numbers = file?.hunks[0]?.lines.map((line) => [line.kind, line.before, line.after])
    expect(numbers).toEqual([
      ['context', 41, 41],
      ['del', 42, undefined],
      ['add', undefined, 42],
      ['add', undefined, 43],
      ['add', undefined, 44],
      ['context', 43, 45],
    ])
  })

  it('marks the words that changed where one line stands for another', () => {
    const [file] = readDiff('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-port := "8080" // here\n+port := "9090" // here\n')
    const strong = file?.hunks[0]?.lines.map((line) =>
      line.parts.filter((part) => part.strong).map((part) => part.text),
    )
    expect(strong).toEqual([['8080'], ['9090']])
  })

  it('reads a new file, a deleted one, several, and a line that looks like a head', () => {
    const files = readDiff(
      '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n--- a/old.sql\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- comment\n-select 1\n',
    )
    expect(files.map((file) => [file.path, file.added, file.removed])).toEqual([
      ['new.txt', 1, 0],
      ['old.sql', 0, 2],
    ])
  })

  it.each(['', 'no diff at all', '+++ only\n'])('finds no file in %j', (text) => {
    expect(readDiff(text)).toEqual([])
  })

  it('folds a long stretch of unchanged lines until it is asked for', () => {
    const [file] = readDiff(`--- a/x\n+++ b/x\n@@ -1,21 +1,22 @@\n${context(20)}+new\n`)
    if (!file) throw new Error('no file')
    const rows = unifiedRows(file, () => false)
    expect(rows.map((row) => row.kind)).toEqual(['line', 'line', 'line', 'fold', 'line', 'line', 'line', 'line'])
    expect(rows[3]).toMatchObject({ kind: 'fold', lines: { length: 14 } })
    expect(unifiedRows(file, (at) => at === 0)).toHaveLength(21)
  })

  it('stands side by side with the lines that belong together', () => {
    const [file] = readDiff(diff)
    if (!file) throw new Error('no file')
    const pairs = splitRows(file, () => false).flatMap((row) =>
      row.kind === 'pair' ? [[row.left?.before, row.right?.after]] : [],
    )
    expect(pairs).toEqual([
      [41, 41],
      [42, 42],
      [undefined, 43],
      [undefined, 44],
      [43, 45],
    ])
  })
})
