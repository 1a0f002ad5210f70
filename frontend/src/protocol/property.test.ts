// @vitest-environment node
import { expect, it } from 'vitest'
import { anyLog, numbers } from './anyLog'
import { snapshot } from './snapshot'
import { fold, logNames, readLog } from './testdata'
import { newTranscript, pendingCalls, type Transcript } from './transcript'

function checkInvariants(t: Transcript): void {
  expect(new Set(t.items.map((item) => item.key)).size).toBe(t.items.length)
  const shown = t.items.flatMap((item) => (item.kind === 'call' ? [item.id] : []))
  expect(shown).toEqual([...t.calls.keys()])
  const over = t.status !== 'running' && t.status !== 'paused'
  const open = t.items.filter((item) => 'open' in item && item.open).length
  expect(open).toBeLessThanOrEqual(over ? 0 : 1)
  for (const c of t.calls.values()) {
    expect(c.state).not.toBe('dropped')
    if (over || c.own.settled) expect(['input', 'proposed', 'waiting', 'approved', 'running']).not.toContain(c.state)
    if (!c.argumentsReplaced) expect(c.argumentsText).toBe(c.proposedText)
  }
  for (const c of pendingCalls(t)) expect(c.approval).toBeDefined()
}

it('any log folds at every prefix, and in two halves as in one', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const log = anyLog(seed)
    const whole = newTranscript()
    for (const line of log) {
      fold([line], whole)
      checkInvariants(whole)
    }
    const cut = numbers(seed)(log.length)
    const halves = fold(log.slice(0, cut))
    snapshot(halves) // looking does not change it
    fold(log.slice(cut), halves)
    expect(snapshot(halves)).toEqual(snapshot(whole))
  }
}, 30_000)

it.each(logNames())('every prefix of the log %s folds', (name) => {
  const log = readLog(name)
  const whole = newTranscript()
  for (let cut = 0; cut < log.length; cut++) {
    expect(snapshot(fold(log.slice(0, cut)))).toEqual(snapshot(whole))
    fold(log.slice(cut, cut + 1), whole)
    checkInvariants(whole)
  }
})
