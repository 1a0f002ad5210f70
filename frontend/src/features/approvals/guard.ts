/** How long the decision keys of a row are dead, in ms, after it got the focus or its arguments came on the screen. */
export const guardTime = 600

/**
 * Keeps a key meant for one thing from deciding another: A, E and D work on a row only once it has had the focus, and its
 * arguments have been on the screen, for the guard time.
 */
export class DecisionGuard {
  #focused: { key: string; at: number } | undefined
  readonly #seen = new Map<string, number>()

  /** The row has the focus. Having it already changes nothing. */
  focus(key: string, now: number): void {
    if (this.#focused?.key !== key) this.#focused = { key, at: now }
  }

  blur(): void {
    this.#focused = undefined
  }

  /** The end of an approval's arguments is on the screen. */
  seen(approvalId: string, now: number): void {
    if (!this.#seen.has(approvalId)) this.#seen.set(approvalId, now)
  }

  ready(key: string, approvalId: string, now: number): boolean {
    const seen = this.#seen.get(approvalId)
    const focus = this.#focused
    if (focus?.key !== key || seen === undefined) return false
    return now - Math.max(focus.at, seen) >= guardTime
  }
}
