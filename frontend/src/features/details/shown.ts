import { elements, members, rawMember, stringValue } from '../../protocol/json'

/** An image a result shows: its bytes are a blob of the server's. */
export interface ShownImage {
  src: string
  mediaType?: string
  bytes?: number
  /** The JSON text that refers to it. */
  raw: string
}

const hash = /^[0-9a-f]{64}$/

/** The images a result refers to, in their order: parts of an array, or the members image and imageBase64 of an object. */
export function imagesIn(json: string): ShownImage[] {
  if (!json.includes('"src"')) return []
  const text = json.trim()
  const places = text.startsWith('[')
    ? elements(text).filter((part) => part.startsWith('{') && word(part, 'type') === 'image')
    : text.startsWith('{')
      ? members({ kind: 'object', text })
          .filter(({ key, value }) => (key === 'image' || key === 'imageBase64') && value.kind === 'object')
          .map(({ value }) => value.text)
      : []
  return places.flatMap((raw) => {
    const src = word(raw, 'src')
    if (!src || !hash.test(src)) return []
    const bytes = Number(rawMember(raw, 'bytes'))
    return [{ src, mediaType: word(raw, 'mediaType'), bytes: Number.isSafeInteger(bytes) ? bytes : undefined, raw }]
  })
}

/** The texts of a result that is parts and nothing else, as the model reads them; undefined of any other. */
export function partsText(json: string): string | undefined {
  const text = json.trim()
  if (!text.startsWith('[')) return undefined
  const parts = elements(text)
  if (!parts.every((part) => part.startsWith('{') && ['text', 'image'].includes(word(part, 'type') ?? '')))
    return undefined
  const texts = parts.flatMap((part) => word(part, 'text') ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

function word(raw: string, name: string): string | undefined {
  const value = rawMember(raw, name)
  return value?.startsWith('"') ? stringValue(value) : undefined
}
