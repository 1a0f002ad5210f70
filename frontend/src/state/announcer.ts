import { Cell } from './cell'

/** How long what is said stands before the next, in ms. */
const pause = 1000

/** Sentences for a screen reader: the first at once, those that come within a second of it together, after it. */
export class Announcer {
  readonly said = new Cell('')
  #waiting: string[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  say(sentence: string): void {
    if (!this.#waiting.includes(sentence)) this.#waiting.push(sentence)
    if (this.#timer === undefined) this.#speak()
  }

  #speak(): void {
    this.#timer = undefined
    // Once nothing is left to say the region is emptied, so that the same sentence is heard again.
    this.said.set(this.#waiting.join('. '))
    if (this.#waiting.length === 0) return
    this.#waiting = []
    this.#timer = setTimeout(() => this.#speak(), pause)
  }
}
