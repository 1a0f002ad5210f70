import { toast } from './toasts'

/** Saves a file under a name that is asked for or given; false when whoever was asked thought better of it. */
export type SaveFile = (name: string, content: Blob) => Promise<boolean>

/** Saves as a browser does: as a download. */
export const download: SaveFile = async (name, content) => {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
  return true
}

/** Saves and says so, or why not. */
export async function save(by: SaveFile, name: string, content: () => Blob | Promise<Blob>): Promise<void> {
  try {
    if (await by(name, await content())) toast(`Saved as ${name}`)
  } catch (cause) {
    toast(`${name} was not saved: ${cause instanceof Error ? cause.message : String(cause)}`, 'err')
  }
}

/** The size of a text in bytes of UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}
