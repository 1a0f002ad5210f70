/** How long the decision keys of a row are dead, in ms, after its arguments came on the screen or the focus was moved to it. */
export const guardTime = 600

/**
 * Keeps a key meant for one thing from deciding another: A, E and D work on a row only once its arguments have been on the
 * screen for the guard time, and as long after the focus came to it by itself.
 */
export class DecisionGuard {
  readonly #seen = new Map<string, number>()
  #moved: { key: string; at: number } | undefined

  /** The focus went to a row without the reader's doing. */
  moved(key: string, now: number): void {
    this.#moved = { key, at: now }
  }

  /** The end of an approval's arguments is on the screen. */
  seen(approvalId: string, now: number): void {
    if (!this.#seen.has(approvalId)) this.#seen.set(approvalId, now)
  }

  ready(key: string, approvalId: string, now: number): boolean {
    const seen = this.#seen.get(approvalId)
    const moved = this.#moved?.key === key ? this.#moved.at : 0
    return seen !== undefined && now - Math.max(seen, moved) >= guardTime
  }
}
