import { Cell } from './cell'

/** How long decisions are held back, in ms, after a call's arguments came on the screen, the focus moved, or one was made. */
export const guardTime = 600

/**
 * Keeps a key or a click meant for one thing from deciding another. A call is decided only once the end of its arguments has been
 * on the screen; by a key, only after they were there for the guard time, and as long after the focus came to its row by itself;
 * and nothing is decided for the guard time after another decision, so that a double click does not reach the card that follows.
 */
export class DecisionGuard {
  /** Counts up when a call was seen, and when decisions are held back and no longer. */
  readonly version = new Cell(0)
  readonly #seen = new Map<string, number>()
  #moved: { key: string; at: number } | undefined
  #decided = -guardTime

  /** The focus went to a row without the reader's doing. */
  moved(key: string, now: number): void {
    this.#moved = { key, at: now }
  }

  /** The end of an approval's arguments is on the screen. */
  seen(approvalId: string, now: number): void {
    if (this.#seen.has(approvalId)) return
    this.#seen.set(approvalId, now)
    this.#tell()
  }

  hasSeen(approvalId: string): boolean {
    return this.#seen.has(approvalId)
  }

  /** A decision was made. */
  decided(now: number): void {
    this.#decided = now
    this.#tell()
    setTimeout(() => this.#tell(), guardTime)
  }

  /** Whether another decision was made just now. */
  resting(now: number): boolean {
    return now - this.#decided < guardTime
  }

  /** Whether a key on a row may decide. */
  ready(key: string, approvalId: string, now: number): boolean {
    const seen = this.#seen.get(approvalId)
    const moved = this.#moved?.key === key ? this.#moved.at : 0
    return seen !== undefined && now - Math.max(seen, moved) >= guardTime && !this.resting(now)
  }

  #tell(): void {
    this.version.update((version) => version + 1)
  }
}
