import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, isWireError } from './events'
import type { LogLine } from './replay'
import { apply, applyError, newTranscript, type Transcript } from './transcript'

/** The files both languages are held to. For tests alone. */
export const testdata = join(import.meta.dirname, '../../../backend/protocol/testdata')

export function logNames(): string[] {
  return readdirSync(testdata)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
}

export function readLog(name: string): LogLine[] {
  const lines = readFileSync(`${testdata}/${name}.jsonl`, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const head = /^\{"seq":(\d+),/.exec(line)
    return head === null ? { seq: 0, raw: line } : { seq: Number(head[1]), raw: `{${line.slice(head[0].length)}` }
  })
}

export function readGolden(path: string): unknown {
  return JSON.parse(readFileSync(`${testdata}/${path}`, 'utf8'))
}

export function fold(lines: LogLine[], into: Transcript = newTranscript()): Transcript {
  for (const { seq, raw } of lines) {
    const frame = decode(raw, seq)
    if (isWireError(frame)) applyError(into, frame)
    else apply(into, frame)
  }
  return into
}
