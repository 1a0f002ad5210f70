import { Cell } from './cell'
import { type CommandId, normal, stroke, windowKeys } from './keyTable'
import { recall, remember } from './remembered'

interface Entry {
  run: () => void
  /** It also runs while a dialog is open: its own. */
  inDialog: boolean
}

/** What the window can do now. Each part of it lends its commands while it is on the screen. */
export class Commands {
  /** Counts the changes of what can be done. */
  readonly version = new Cell(0)
  /** Whether a single letter acts on the list that has the focus. */
  readonly singleKeys = new Cell(recall('keys.single') !== '0')
  /** Keys that the system's menu bar takes: the page leaves them to it, so that none acts twice. */
  #barKeys: ReadonlySet<string> = new Set()
  readonly #entries = new Map<CommandId, Entry[]>()

  /** Lends a command until the returned function is called. Of several the last one lent runs. */
  lend(id: CommandId, run: () => void, inDialog = false): () => void {
    const entry = { run, inDialog }
    const all = this.#entries.get(id) ?? []
    this.#entries.set(id, all)
    all.push(entry)
    this.#changed()
    return () => {
      all.splice(all.indexOf(entry), 1)
      this.#changed()
    }
  }

  /** Whether a command can be run now. */
  can(id: CommandId): boolean {
    return Boolean(this.#entries.get(id)?.length)
  }

  /** Runs a command; false when nothing lends it now. */
  run(id: CommandId): boolean {
    const entry = this.#entries.get(id)?.at(-1)
    entry?.run()
    return entry !== undefined
  }

  /** Takes a key press anywhere in the window; true when it was a command's. */
  press(event: KeyboardEvent, dialogOpen: boolean): boolean {
    const pressed = stroke(event)
    const id = this.#barKeys.has(pressed) ? undefined : windowKeys.get(pressed)
    return id !== undefined && this.choose(id, dialogOpen)
  }

  /** Runs a command unless a dialog is open that it is no part of; true when it ran. */
  choose(id: CommandId, dialogOpen: boolean): boolean {
    const entry = this.#entries.get(id)?.at(-1)
    if (!entry || (dialogOpen && !entry.inDialog)) return false
    entry.run()
    return true
  }

  /** Leaves the keys of these commands, as the table writes them first, to the system's menu bar. */
  leaveToBar(keys: Iterable<string>): void {
    this.#barKeys = new Set([...keys].map(normal))
  }

  setSingleKeys(on: boolean): void {
    this.singleKeys.set(on)
    remember('keys.single', on ? '1' : '0')
  }

  #changed(): void {
    this.version.update((before) => before + 1)
  }
}
