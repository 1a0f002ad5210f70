// Runs the end-to-end tests, one file after the other: those named, else all. Where a few failed, their files are run once
// more, and what then passes is told as flaky.
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import report from './reporter.mjs'

/** So many failed tests are tried again; where more failed, something is broken. */
const fewFailures = 3

/** Runs files, prints what the reporter makes of them, and returns how many tests passed and which failed. */
async function attempt(files) {
  const ended = { passed: 0, failed: [] }
  async function* heard(events) {
    for await (const event of events) {
      if (event.type === 'test:pass') ended.passed++
      if (event.type === 'test:fail') ended.failed.push(event.data)
      yield event
    }
  }
  const events = run({ files, concurrency: 1, timeout: 600_000 })
  for await (const text of report(heard(events))) process.stdout.write(text)
  return ended
}

const here = fileURLToPath(new URL('.', import.meta.url))
const names = process.argv.slice(2)
const tests = names.length > 0 ? names : readdirSync(here).filter((name) => name.endsWith('.test.mjs'))
const first = await attempt(tests.map((name) => here + basename(name)))
const files = [...new Set(first.failed.map(({ file }) => file))]
if (first.failed.length > fewFailures || files.includes(undefined)) {
  process.exitCode = 1
} else if (first.failed.length > 0) {
  console.log(`once more: ${files.map((file) => basename(file)).join(' ')}`)
  const second = await attempt(files)
  if (second.failed.length > 0) {
    process.exitCode = 1
  } else {
    console.log(`flaky: ${first.failed.map(({ name }) => name).join('; ')}`)
    console.log(`${first.passed + first.failed.length} passed, 0 failed`)
  }
}
