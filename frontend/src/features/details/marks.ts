import { isExact, isJsonError, items, type JsonNode, members, parseJson, stringValue } from '../../protocol/json'
import { visiblePieces } from '../../protocol/text'
import { counted } from '../../ui/format'

/** How much text is looked at, in UTF-16 units: each level of nesting costs its length again. */
const work = 4_000_000

/** What a reader of JSON text might overlook, each in a few words: numbers a browser would change, keys twice, hidden characters. */
export function oddities(text: string): string[] {
  const root = parseJson(text)
  let [numbers, duplicates, variants, looked] = [0, 0, 0, 0]
  let hidden = isJsonError(root) ? marked(text) : 0
  const rest: JsonNode[] = isJsonError(root) ? [] : [root]
  for (let node = rest.pop(); node && looked < work; node = rest.pop()) {
    looked += node.text.length
    if (node.kind === 'number' && !isExact(node.text)) numbers++
    else if (node.kind === 'string') hidden += marked(stringValue(node.text))
    else if (node.kind === 'array') for (const item of items(node)) rest.push(item)
    else if (node.kind === 'object') {
      for (const member of members(node)) {
        if (member.duplicate) duplicates++
        else if (member.caseVariant) variants++
        hidden += marked(member.key)
        rest.push(member.value)
      }
    }
  }
  return [
    numbers > 0 && counted(numbers, 'big number'),
    duplicates > 0 && counted(duplicates, 'repeated key'),
    variants > 0 && counted(variants, 'key differs only in case', 'keys differ only in case'),
    hidden > 0 && counted(hidden, 'hidden character'),
  ].filter((words) => words !== false)
}

function marked(text: string): number {
  return visiblePieces(text).filter((piece) => piece.mark).length
}
