// The test runner's reporter: a line for each test as it ends, what failed in full, and a closing line with the counts.
// Where CI is set, a skipped test is a failure.

const indent = (text) => text.replace(/^/gm, '    ')

/** What went wrong, without the runner's own frames. */
function explain(error) {
  const cause = error?.cause ?? error
  const text = cause?.stack ?? String(cause)
  return indent(
    text
      .split('\n')
      .filter((line) => !line.includes('node:internal'))
      .join('\n'),
  )
}

export default async function* report(events) {
  let passed = 0
  let failed = 0
  let skipped = 0
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      yield data.message
      continue
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details?.type === 'suite') continue
    const took = `${(data.details.duration_ms / 1000).toFixed(1)} s`
    if (data.skip !== undefined || data.todo !== undefined) {
      skipped++
      yield `skip  ${data.name}  ${data.skip || ''}\n`
    } else if (type === 'test:pass') {
      passed++
      yield `ok    ${data.name}  (${took})\n`
    } else {
      failed++
      yield `FAIL  ${data.name}  (${took})\n${explain(data.details.error)}\n`
    }
  }
  if (skipped > 0 && process.env.CI) {
    failed += skipped
    yield 'Here a skipped test is a failure: everything the tests need is installed.\n'
    process.exitCode = 1
  }
  if (passed + failed === 0) {
    yield 'No test ran.\n'
    process.exitCode = 1
  }
  yield `${passed} passed, ${failed} failed\n`
}
