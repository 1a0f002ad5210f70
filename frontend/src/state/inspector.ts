import { Cell } from './cell'
import { recall, remember } from './remembered'
import type { Row } from './rows'

type TurnRow = Extract<Row, { kind: 'turn' }>

export const inspectorTabs = ['timeline', 'call', 'raw', 'events', 'history'] as const
export type InspectorTab = (typeof inspectorTabs)[number]

/** What the inspector is about: a call, or a turn as a whole. */
export interface Selection {
  runId: string
  turn: number
  callId?: string
}

/** Narrower or wider than this, in px, the pane cannot be drawn. */
export const paneWidth = { least: 300, usual: 380, most: 900 }

/** A window narrower than this, in px, begins with the pane closed. */
const roomy = 1200

/** The run inspector: whether it is open, on what, and how wide. It and the thread's rows show one selection. */
export class Inspector {
  readonly open = new Cell(initiallyOpen())
  /** In px. */
  readonly width = new Cell(clampWidth(read('width', paneWidth.usual)))
  readonly tab = new Cell<InspectorTab>('timeline')
  /** Whether the events are those of the selected call alone. */
  readonly onlyCall = new Cell(false)
  readonly selected = new Cell<Selection | undefined>(undefined)

  #sheet = false
  #dropped: Selection | undefined

  /** A sheet lies over the thread: it opens only when it is asked for, and nothing of that is kept. */
  fit(sheet: boolean): void {
    if (sheet === this.#sheet) return
    this.#sheet = sheet
    this.open.set(!sheet && initiallyOpen())
  }

  setOpen(open: boolean): void {
    this.open.set(open)
    if (!this.#sheet) write('open', open ? 1 : 0)
  }

  setWidth(px: number): void {
    this.width.set(clampWidth(px))
    write('width', this.width.get())
  }

  /** Opens the inspector on something. */
  show(tab: InspectorTab, selection: Selection): void {
    this.selected.set(selection)
    this.tab.set(tab)
    this.setOpen(true)
  }

  /** Opens the inspector on what was taken back in a turn: its first dropped call, if it has one. */
  showTurn({ run, turn: { turn } }: TurnRow): void {
    const first = run.transcript.dropped.find((call) => call.turn === turn)
    this.show(first ? 'call' : 'timeline', { runId: run.id, turn, callId: first?.id })
  }

  /** Opens the inspector on a call that was dropped; that the focus comes to its turn's row next changes nothing. */
  showDropped(call: Selection): void {
    this.#dropped = call
    this.show('call', call)
  }

  /** Selects what a row of the thread is about; a row that is about no call and no turn changes nothing. */
  follow(row: Row): void {
    const dropped = this.#dropped
    this.#dropped = undefined
    if (row.kind === 'turn' && dropped?.runId === row.run.id && dropped.turn === row.turn.turn) return
    if (row.kind === 'call') this.selected.set({ runId: row.run.id, turn: row.call.turn, callId: row.call.id })
    if (row.kind === 'turn') this.selected.set({ runId: row.run.id, turn: row.turn.turn })
  }
}

function initiallyOpen(): boolean {
  return read('open', window.innerWidth >= roomy ? 1 : 0) === 1
}

function clampWidth(px: number): number {
  return Math.round(Math.min(paneWidth.most, Math.max(paneWidth.least, px)))
}

function read(name: string, fallback: number): number {
  const value = Number(recall(`inspector.${name}`) ?? fallback)
  return Number.isFinite(value) ? value : fallback
}

function write(name: string, value: number): void {
  remember(`inspector.${name}`, String(value))
}
