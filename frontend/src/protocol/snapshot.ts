import type { Call, Transcript } from './transcript'

/** A transcript as plain JSON, equal to the Go one's for the same log. What is empty is left out. */
export function snapshot(t: Transcript): Record<string, unknown> {
  return compact({
    runId: t.runId,
    threadId: t.threadId,
    agentName: t.agentName,
    messageId: t.messageId,
    status: t.status,
    items: t.items,
    calls: [...t.calls.values()].map(callSnapshot),
    dropped: t.dropped.map(callSnapshot),
    droppedParts: t.droppedParts,
    turns: t.turns,
    approvals: [...t.approvals.values()],
    usage: t.usage,
    error: t.error,
    finish: t.finish && { ...t.finish, type: undefined },
    startedAt: t.startedAt,
    endedAt: t.endedAt,
    last: t.last,
    gaps: t.gaps,
    wireErrors: t.wireErrors.map((e) => ({ seq: e.seq, raw: e.raw })),
    unknown: t.unknown.map((f) => ({ seq: f.seq, raw: f.raw })),
    late: t.late.map((f) => ({ seq: f.seq, type: f.event.type === 'unknown' ? f.event.kind : f.event.type })),
  })
}

function callSnapshot(call: Call): Record<string, unknown> {
  const { version: _version, own: _own, approval: _approval, ...rest } = call
  return rest
}

/** Leaves out undefined, "", false, and empty lists and objects, at every depth. */
function compact(value: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const kept = compactValue(member)
    if (kept !== undefined) out[name] = kept
  }
  return out
}

function compactValue(value: unknown): unknown {
  if (value === '' || value === false || value === null) return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => compactValue(item) ?? item)
  if (typeof value !== 'object') return value
  const out = compact(value as Record<string, unknown>)
  return Object.keys(out).length === 0 ? undefined : out
}
