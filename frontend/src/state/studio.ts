import type { Settings, StudioState } from '../transport/answers'
import type { Api } from '../transport/api'
import { messageOf } from '../transport/apiError'
import { Cell } from './cell'

export interface Studio {
  phase: 'loading' | 'ready' | 'failed'
  fault?: string
  state?: StudioState
}

/** The Studio's agents, providers and settings. */
export class StudioStore {
  readonly cell = new Cell<Studio>({ phase: 'loading' })
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  async refresh(): Promise<void> {
    try {
      this.cell.set({ phase: 'ready', state: await this.#api.studio() })
    } catch (cause) {
      const { state } = this.cell.get()
      this.cell.set({ phase: state ? 'ready' : 'failed', fault: messageOf(cause), state })
    }
  }

  /** A folder was chosen: the next choice begins there. */
  chose(lastFolder: string): void {
    this.cell.update((studio) => (studio.state ? { ...studio, state: { ...studio.state, lastFolder } } : studio))
  }

  /** Saves a change of the settings; rejects with the server's words when it refuses. */
  async save(change: Partial<Settings>): Promise<void> {
    const settings = await this.#api.saveSettings(change)
    this.cell.update((studio) => (studio.state ? { ...studio, state: { ...studio.state, settings } } : studio))
  }
}
