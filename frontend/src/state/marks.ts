import { type Event, isWireError } from '../protocol/events'
import type { Read } from '../protocol/replay'

export type MarkKind = 'call' | 'approval' | 'failure' | 'drop'

export const markKinds: readonly MarkKind[] = ['call', 'approval', 'failure', 'drop']

/** An event worth a mark on the bar: a call that begins and is not dropped later, one that asks, a failure, a call that is dropped. */
export interface Mark {
  /** The event, counted from 1. */
  n: number
  kind: MarkKind
  /** What the call is named; of a run that failed, nothing. */
  label: string
}

/** Finds the marks of a log, an event at a time. */
export class Marks {
  readonly #marks: Mark[] = []
  /** What each call is named, as far as it was told. */
  readonly #labels = new Map<string, string>()
  /** The mark of each call's beginning. */
  readonly #begun = new Map<string, Mark>()
  /** The calls that have calls in them: they wait when those do, and ask nothing. */
  readonly #around = new Set<string>()

  /** The marks so far, a list of its own. */
  all(): Mark[] {
    return this.#marks.slice()
  }

  /** Takes what the n-th line says. */
  take(n: number, read: Read): void {
    if (isWireError(read)) return
    const e = read.event
    const add = (kind: MarkKind, id: string) => {
      const mark = { n, kind, label: this.#labels.get(id) ?? '' }
      this.#marks.push(mark)
      if (kind === 'call') this.#begun.set(id, mark)
      if (kind === 'drop') this.#unmark(id)
    }
    this.#name(e)
    switch (e.type) {
      case 'tool-call-start':
        add('call', e.id)
        if (e.parentToolCallId !== undefined) this.#around.add(e.parentToolCallId)
        return
      case 'tool-call-end':
        if (e.dropped) add('drop', e.id)
        return
      case 'call-state':
        if (e.state === 'waiting' && !this.#around.has(e.toolCallId)) add('approval', e.toolCallId)
        if (e.state === 'unknown') add('failure', e.toolCallId)
        return
      case 'tool-result':
        // An unfinished call was marked at its end, which took it out.
        if (e.dropped && e.reason !== 'incomplete') add('drop', e.toolCallId)
        else if (!e.dropped && e.error !== undefined && e.errorCode !== 'TOOL_DENIED') add('failure', e.toolCallId)
        return
      case 'error':
        add('failure', '')
        return
      default:
        return
    }
  }

  /** A dropped call is no call of the run: its beginning has no mark. */
  #unmark(id: string): void {
    const mark = this.#begun.get(id)
    if (mark) this.#marks.splice(this.#marks.lastIndexOf(mark), 1)
    this.#begun.delete(id)
  }

  #name(e: Event): void {
    if (e.type === 'tool-call-start') this.#labels.set(e.id, e.presentation?.label || e.toolName)
    if ((e.type === 'tool-update' || e.type === 'tool-result') && e.presentation?.label) {
      this.#labels.set(e.toolCallId, e.presentation.label)
    }
  }
}
