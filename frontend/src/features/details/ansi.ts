/** A stretch of terminal text in one style. */
export interface Span {
  text: string
  /** 0–15 of the palette, or a CSS colour. */
  color?: number | string
  background?: number | string
  bold?: boolean
  dim?: boolean
  italic?: boolean
  underline?: boolean
  inverse?: boolean
}

type Style = Omit<Span, 'text'>

// A sequence: CSI with its parameters and final character, an OSC up to its end, or any other two-character escape.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with a control character
const sequence = /\u001b(?:\[([0-9;:?<=>!]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/** Reads text as a terminal would: colours become styles, other sequences are left out, a carriage return rewrites its line. */
export function terminalLines(text: string): Span[][] {
  let style: Style = {}
  return text
    .replace(/\r+\n/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const spans: Span[] = []
      const visible = lastWrite(line)
      let from = 0
      for (const match of visible.matchAll(sequence)) {
        push(spans, visible.slice(from, match.index), style)
        from = match.index + match[0].length
        if (match[2] === 'm') style = apply(style, match[1] ?? '')
      }
      push(spans, visible.slice(from), style)
      return spans
    })
}

/** What stays of a line that was written over: its last version that is not empty, with the styles set before it. */
function lastWrite(line: string): string {
  const writes = line.split('\r')
  const last = writes.findLastIndex((write) => write.replace(sequence, '') !== '')
  if (last <= 0) return writes[0] ?? ''
  const styles = writes.slice(0, last).flatMap((write) => write.match(sequence) ?? [])
  return styles.join('') + writes[last]
}

function push(spans: Span[], text: string, style: Style): void {
  if (text) spans.push({ text, ...style })
}

function apply(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = { ...style }
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0
    if (code === 0) next = {}
    else if (code === 1) next.bold = true
    else if (code === 2) next.dim = true
    else if (code === 3) next.italic = true
    else if (code === 4) next.underline = true
    else if (code === 7) next.inverse = true
    else if (code === 22) next = { ...next, bold: undefined, dim: undefined }
    else if (code === 23) next.italic = undefined
    else if (code === 24) next.underline = undefined
    else if (code === 27) next.inverse = undefined
    else if (code >= 30 && code <= 37) next.color = code - 30
    else if (code >= 90 && code <= 97) next.color = code - 82
    else if (code === 39) next.color = undefined
    else if (code >= 40 && code <= 47) next.background = code - 40
    else if (code >= 100 && code <= 107) next.background = code - 92
    else if (code === 49) next.background = undefined
    else if (code === 38 || code === 48) {
      const [color, used] = extended(codes.slice(i + 1))
      if (code === 38) next.color = color
      else next.background = color
      i += used
    }
  }
  return next
}

/** The colour after a 38 or 48, and how many codes it took. */
function extended(codes: number[]): [number | string | undefined, number] {
  const [kind, a = 0, b = 0, c = 0] = codes
  if (kind === 5) return [indexed(a), 2]
  if (kind === 2) return [`rgb(${a & 255} ${b & 255} ${c & 255})`, 4]
  return [undefined, codes.length]
}

function indexed(n: number): number | string {
  if (n < 16) return n
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10
    return `rgb(${grey} ${grey} ${grey})`
  }
  const part = (v: number) => (v === 0 ? 0 : 55 + v * 40)
  const cube = n - 16
  return `rgb(${part(Math.floor(cube / 36) % 6)} ${part(Math.floor(cube / 6) % 6)} ${part(cube % 6)})`
}
