/** What is wrong with the value at a path. */
export interface Fault {
  path: string[]
  message: string
}

/** What is said of a member that is not there. */
export const missing = 'Needed, and missing.'

/**
 * Reads what the server says of arguments that do not fit: "Invalid arguments: at '/n': got string, want number; …". Undefined when it
 * names no path.
 */
export function serverFaults(message: string): Fault[] | undefined {
  const faults: Fault[] = []
  for (const part of message.replace(/^Invalid arguments: /, '').split(/; (?=at ')/)) {
    const match = /^at '([^']*)': (.*)$/s.exec(part)
    if (!match) return undefined
    const [, pointer = '', said = ''] = match
    const absent = /^missing propert(?:y|ies) (.*)$/.exec(said)?.[1]
    const names = absent === undefined ? [] : [...absent.matchAll(/'([^']*)'/g)].map((each) => each[1] ?? '')
    if (names.length === 0) faults.push({ path: steps(pointer), message: said })
    for (const name of names) faults.push({ path: [...steps(pointer), name], message: missing })
  }
  return faults
}

/** The steps of a JSON pointer. */
export function steps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step // it was not escaped
  }
}
