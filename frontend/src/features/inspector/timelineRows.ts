import type { CallFigures, RequestFigures, RunFigures, TurnFigures } from './figures'
import type { Span } from './spans'

/** A line of the timeline; its key stays with it. */
export type TimelineRow =
  | { kind: 'turn'; key: string; turn: TurnFigures; agent?: string } // whose turn it is, where a run has several agents
  | { kind: 'try'; key: string; turn: TurnFigures; number: number; span: Span; reason?: string }
  | { kind: 'model'; key: string; turn: TurnFigures; request: RequestFigures }
  | { kind: 'call'; key: string; turn: TurnFigures; figures: CallFigures }

/** The lines of a run in the order of the thread: each turn, its tries that failed, its model, its calls and theirs. */
export function timelineRows(run: RunFigures): TimelineRow[] {
  const rows: TimelineRow[] = []
  const agents = new Set(run.turns.flatMap(({ request }) => request?.turn.agentName ?? []))
  for (const turn of run.turns) {
    const agent = agents.size > 1 ? turn.request?.turn.agentName : undefined
    rows.push({ kind: 'turn', key: turnKey(turn.turn), turn, agent })
    const { request } = turn
    if (request) {
      for (const [i, { reason }] of request.turn.retries.entries()) {
        const span = request.tries[i]
        if (span) rows.push({ kind: 'try', key: `try:${turn.turn}:${i}`, turn, number: i + 1, span, reason })
      }
      rows.push({ kind: 'model', key: `model:${turn.turn}`, turn, request })
    }
    for (const figures of turn.calls) rows.push({ kind: 'call', key: callKey(figures.call.id), turn, figures })
  }
  return rows
}

export function turnKey(turn: number): string {
  return `turn:${turn}`
}

export function callKey(id: string): string {
  return `call:${id}`
}

/** When something was at work, for the axis: models, calls that were written, calls that ran. */
export function busySpans(run: RunFigures): Span[] {
  return run.turns.flatMap(({ request, calls }) => [
    ...(request ? [{ from: request.from, to: request.to }] : []),
    ...calls.flatMap(({ from, ran }) => (ran ? [ran] : [{ from, to: from }])),
  ])
}
