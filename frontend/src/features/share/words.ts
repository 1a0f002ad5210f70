import type { Finding, ImportOutcome, Place } from '../../transport/share'

/** The name of a place, and whether it is the call's that has a label. */
const places: Record<string, [name: string, ofCall?: true]> = {
  title: ['Title'],
  message: ['Your message'],
  answer: ['Answer'],
  reasoning: ['Reasoning'],
  arguments: ['Arguments', true],
  result: ['Result', true],
  details: ['Details', true],
  label: ['Label', true],
  progress: ['Progress', true],
  error: ['Error', true],
  decision: ['Decision', true],
  name: ['Name of a tool, an agent or a model'],
}

/** Where a secret stands, in words. */
export function placeWords({ kind, label, turn, times }: Place): string {
  const [name, ofCall] = places[kind] ?? ['Elsewhere', true]
  const where = kind === 'request' ? `Raw request of turn ${turn}` : ofCall && label ? `${name} of ${label}` : name
  return times > 1 ? `${where}, ${times} times` : where
}

/** "1 place", "12 places". */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`
}

/** What becomes of an import. */
export function importedWords({ title, redacted, ended }: ImportOutcome & { kind: 'imported' }): string {
  const what = `Imported “${title || 'Untitled'}”${redacted ? ', a redacted copy' : ''}`
  return ended > 0 ? `${what}. ${countOf(ended, 'run')} that ${ended === 1 ? 'was' : 'were'} not over ended.` : what
}

/** Findings by what found them, in their order. */
export function byRule(findings: readonly Finding[]): [rule: string, of: Finding[]][] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const rule = finding.rules[0] ?? ''
    groups.set(rule, [...(groups.get(rule) ?? []), finding])
  }
  return [...groups]
}
