import { Cell } from './cell'

/** Texts by thread that outlive a reload of the page, but not its closing: drafts and queued messages. */
export class StoredTexts {
  readonly #name: string
  readonly #cells = new Map<string, Cell<string>>()

  constructor(name: string) {
    this.#name = name
  }

  /** The text of a thread; empty when there is none. */
  of(threadId: string): Cell<string> {
    let cell = this.#cells.get(threadId)
    if (!cell) {
      const key = `callboard.${this.#name}.${threadId}`
      cell = new Cell(read(key))
      const kept = cell
      kept.subscribe(() => write(key, kept.get()))
      this.#cells.set(threadId, cell)
    }
    return cell
  }
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return '' // a browser may forbid storage; then nothing outlives a reload
  }
}

function write(key: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  } catch {
    return // as above, or the text is larger than the storage
  }
}
