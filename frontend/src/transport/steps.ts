/** So long, in ms, the window may stand still for one piece of a long work. */
const longest = 10
/** The time is looked at after so many turns. */
const turns = 32

/** A long work in steps, between which the window draws and hears the reader. */
export class Steps {
  #began = performance.now()
  #turns = 0

  /** Whether it is time to rest; asked once for each turn of the work. Nobody sees a hidden page stand still. */
  due(): boolean {
    if (++this.#turns % turns !== 0 || document.hidden) return false
    return performance.now() - this.#began > longest
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve))
    this.#began = performance.now()
  }
}
