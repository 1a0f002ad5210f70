import type { Ref } from '../protocol/events'
import type { Call } from '../protocol/transcript'

/** So many texts are kept at most, and so many characters in all, beside the one that was asked for last. */
const most = { texts: 16, characters: 16_000_000 }

/** Fetches the text of a large value by its hash. */
export type FetchBody = (hash: string) => Promise<string>

/** The texts of large values, which do not travel with the log: fetched when they are looked at, and few of them kept. */
export class Bodies {
  readonly #fetch: FetchBody
  /** The one asked for last is the last. */
  readonly #kept = new Map<string, string>()
  readonly #asked = new Map<string, Promise<string>>()

  constructor(fetch: FetchBody) {
    this.#fetch = fetch
  }

  /** The text of a value that is kept. */
  peek(ref: Ref): string | undefined {
    return this.#kept.get(ref.hash)
  }

  /** The text of a value, asked for once while it is on its way. */
  async load({ hash }: Ref): Promise<string> {
    const kept = this.#kept.get(hash)
    if (kept !== undefined) {
      this.#keep(hash, kept)
      return kept
    }
    let asked = this.#asked.get(hash)
    if (!asked) {
      asked = this.#fetch(hash).finally(() => this.#asked.delete(hash))
      this.#asked.set(hash, asked)
    }
    const text = await asked
    this.#keep(hash, text)
    return text
  }

  /** A call with the texts of its result and details. */
  async whole(call: Call): Promise<Call> {
    const texts = new Map<string, string>()
    for (const ref of [call.resultRef, call.detailsRef]) if (ref) texts.set(ref.hash, await this.load(ref))
    return withTexts(call, texts)
  }

  #keep(hash: string, text: string): void {
    this.#kept.delete(hash)
    this.#kept.set(hash, text)
    let characters = 0
    for (const each of this.#kept.values()) characters += each.length
    for (const [oldest, { length }] of this.#kept) {
      if (oldest === hash || (this.#kept.size <= most.texts && characters <= most.characters)) break
      this.#kept.delete(oldest)
      characters -= length
    }
  }
}

/** Progress is drawn as long as nothing has come in its place. */
export function showsProgress({ state, detailsText, detailsRef }: Call): boolean {
  const details = detailsText !== undefined || detailsRef !== undefined
  return !(state === 'done' || ((state === 'failed' || state === 'cancelled') && details))
}

/** What has to be fetched to draw a call. */
export function refsOf(call: Call): Ref[] {
  const { resultRef, detailsRef, update } = call
  const progress = showsProgress(call) ? [update?.contentRef, update?.detailsRef] : []
  return [resultRef, detailsRef, ...progress].filter((ref) => ref !== undefined)
}

/** A call with texts in place of references, those that are there by their hashes. */
export function withTexts(call: Call, texts: ReadonlyMap<string, string>): Call {
  const { resultRef, detailsRef, update } = call
  const at = (ref: Ref | undefined) => ref && texts.get(ref.hash)
  return {
    ...call,
    resultText: call.resultText ?? at(resultRef),
    detailsText: call.detailsText ?? at(detailsRef),
    update: update && {
      ...update,
      contentText: update.contentText ?? at(update.contentRef),
      detailsText: update.detailsText ?? at(update.detailsRef),
    },
  }
}
