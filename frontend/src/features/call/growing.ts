/** A member of arguments that is complete: its texts as they were written. */
export interface GrownMember {
  keyText: string
  valueText: string
}

/** What can be read of a call's arguments while they are written. */
export interface Grown {
  members: GrownMember[]
  /** The member whose value is being written. */
  open?: { keyText: string; valueText: string }
  /** The text is no object, or not one that can be read by members. */
  other: boolean
}

type Place = 'start' | 'key' | 'colon' | 'value' | 'comma' | 'end'

/**
 * Reads the arguments of a call as they grow: the members of the outermost object, byte for byte. Each character is looked at
 * once, however often the text has grown.
 */
export class GrowingArguments {
  #text = ''
  #at = 0
  #place: Place = 'start'
  #members: GrownMember[] = []
  #keyText = ''
  #from = -1
  #depth = 0
  #inString = false
  #escaped = false
  #other = false

  /** Takes the text so far. One that does not go on from the last is read anew. */
  read(text: string): Grown {
    if (!this.#goesOn(text)) this.#reset()
    this.#text = text
    for (; this.#at < text.length && !this.#other; this.#at++) this.#step(text.charAt(this.#at))
    const open = this.#place === 'value' && this.#from >= 0
    return {
      members: this.#members,
      open: open ? { keyText: this.#keyText, valueText: text.slice(this.#from) } : undefined,
      other: this.#other,
    }
  }

  /** Looks only at the end of the text so far: to compare all of it each time would cost its square. */
  #goesOn(text: string): boolean {
    const before = this.#text.length
    const from = Math.max(0, before - 64)
    return text.length >= before && text.startsWith(this.#text.slice(from), from)
  }

  #reset(): void {
    this.#at = 0
    this.#place = 'start'
    this.#members = []
    this.#from = -1
    this.#depth = 0
    this.#inString = false
    this.#escaped = false
    this.#other = false
  }

  #step(c: string): void {
    if (this.#inString) {
      this.#stepInString(c)
      return
    }
    const space = c === ' ' || c === '\n' || c === '\t' || c === '\r'
    switch (this.#place) {
      case 'start':
        if (c === '{') this.#place = 'key'
        else if (!space) this.#other = true
        return
      case 'key':
        if (c === '"') this.#beginString()
        else if (c === '}') this.#place = 'end'
        else if (!space && c !== ',') this.#other = true
        return
      case 'colon':
        if (c === ':') {
          this.#place = 'value'
          this.#from = -1
        } else if (!space) this.#other = true
        return
      case 'value':
        this.#stepInValue(c, space)
        return
      case 'comma':
        if (c === ',') this.#place = 'key'
        else if (c === '}') this.#place = 'end'
        else if (!space) this.#other = true
        return
      case 'end':
        if (!space) this.#other = true
        return
      default:
        this.#place satisfies never
    }
  }

  #beginString(): void {
    this.#inString = true
    if (this.#from < 0 || this.#place === 'key') this.#from = this.#at
  }

  #stepInString(c: string): void {
    if (this.#escaped) this.#escaped = false
    else if (c === '\\') this.#escaped = true
    else if (c === '"') {
      this.#inString = false
      const textSoFar = this.#text.slice(this.#from, this.#at + 1)
      if (this.#place === 'key') {
        this.#keyText = textSoFar
        this.#place = 'colon'
      } else if (this.#depth === 0) this.#complete(textSoFar)
    }
  }

  #stepInValue(c: string, space: boolean): void {
    if (this.#from < 0) {
      if (space) return
      this.#from = this.#at
    }
    if (c === '"') this.#beginString()
    else if (c === '{' || c === '[') this.#depth++
    else if (c === '}' || c === ']') {
      if (this.#depth > 0) {
        this.#depth--
        if (this.#depth === 0) this.#complete(this.#text.slice(this.#from, this.#at + 1))
      } else {
        this.#complete(this.#text.slice(this.#from, this.#at).trimEnd())
        this.#place = 'end'
      }
    } else if (c === ',' && this.#depth === 0) {
      this.#complete(this.#text.slice(this.#from, this.#at).trimEnd())
      this.#place = 'key'
    }
  }

  #complete(valueText: string): void {
    this.#members.push({ keyText: this.#keyText, valueText })
    this.#place = 'comma'
    this.#from = -1
  }
}

/** The string that the beginning of a JSON string stands for: an escape that is not complete yet is left out. */
export function openString(text: string): string {
  const body = text
    .slice(1)
    .replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, (cut, at: number, whole: string) => (backslashes(whole, at) ? cut : ''))
  try {
    const value: unknown = JSON.parse(`"${body}"`)
    return typeof value === 'string' ? value : body
  } catch {
    return body // not JSON, such as a bare line feed in a string: as it was written
  }
}

/** Whether the backslash at a place is itself escaped by the one before. */
function backslashes(text: string, at: number): boolean {
  let n = 0
  while (text[at - 1 - n] === '\\') n++
  return n % 2 === 1
}
