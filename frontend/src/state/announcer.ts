import { Cell } from './cell'

/** Sentences for a screen reader, merged and said at most once a second. */
export class Announcer {
  readonly said = new Cell('')
  #waiting: string[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  say(sentence: string): void {
    if (!this.#waiting.includes(sentence)) this.#waiting.push(sentence)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.said.set(this.#waiting.join('. '))
      this.#waiting = []
    }, 1000)
  }
}
