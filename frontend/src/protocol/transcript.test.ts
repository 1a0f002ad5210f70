// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { snapshot } from './snapshot'
import { fold, logNames, readGolden, readLog } from './testdata'

// The same files hold the Go fold; its -update writes the golden ones.
describe('the shared logs fold to their transcripts', () => {
  it.each(logNames())('%s', (name) => {
    expect(snapshot(fold(readLog(name)))).toEqual(readGolden(`${name}.transcript.json`))
  })
})
