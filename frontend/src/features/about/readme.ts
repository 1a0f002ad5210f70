/** A line that begins or holds something other than running text: code, a heading, a list, a picture, a quotation. */
const apart = /^(?: {4}|\t|```|#|- |\* |[0-9]+\. |!\[|>|\|)|^\s*$/

/** A README as the page draws it: each paragraph in one line, since a line's end would be one on the screen, and without pictures. */
export function readable(markdown: string): string {
  const lines: string[] = []
  let fenced = false
  for (const line of markdown.replace(/^!\[.*\n+/gm, '').split('\n')) {
    const before = lines.at(-1)
    if (!fenced && before !== undefined && !apart.test(before) && !apart.test(line)) {
      lines[lines.length - 1] = `${before} ${line}`
    } else {
      lines.push(line)
    }
    if (line.startsWith('```')) fenced = !fenced
  }
  return lines.join('\n')
}
