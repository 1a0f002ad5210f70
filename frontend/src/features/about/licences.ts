import { type Fields, list, text, texts } from '../../transport/decode'

/** Something in the program that others made. */
export interface Part {
  name: string
  version: string
  /** Go or npm. */
  from: string
  /** The SPDX names of its licences. */
  licences: string[]
  /** The text of its licences and notices. */
  text: string
}

/** Reads the licences of what is in the program, which are a file beside the page. */
export async function readLicences(signal: AbortSignal): Promise<Part[]> {
  const answer = await fetch('/licences.json', { signal })
  if (!answer.ok) throw new Error(`the file with the licences was answered with status ${answer.status}`)
  return list({ parts: await answer.json() }, 'parts', part)
}

function part(of: Fields): Part {
  return {
    name: text(of, 'name'),
    version: text(of, 'version'),
    from: text(of, 'from'),
    licences: texts(of, 'licences'),
    text: text(of, 'text'),
  }
}
