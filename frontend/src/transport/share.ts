import { type Fields, fields, flag, list, number, optionalNumber, text, texts } from './decode'

/** What a thread is written as: its own format, which is imported again, or for people. */
export type ShareFormat = 'callboard' | 'markdown'

/** How a thread is written to a file. */
export interface ExportChoice {
  format: ShareFormat
  /** Masks what looks like a secret; the Studio's own keys are masked in any case. */
  redact: boolean
  /** With redact, images go along, which nothing looks through. */
  images: boolean
  /** Masked too, in any case. */
  words: string[]
  /** Ids of findings that stay in. */
  leave: string[]
}

/** A place where a secret stands, with what is around it, masked. */
export interface Place {
  kind: string
  runId: string
  toolCallId: string
  turn: number
  /** Of its call. */
  label: string
  before: string
  after: string
  times: number
}

/** A secret that was found; what it says is not told. */
export interface Finding {
  id: string
  /** What found it. */
  rules: string[]
  /** A key of the Studio: it cannot be left in. */
  fixed: boolean
  /** Of its places, of which the first are listed. */
  count: number
  places: Place[]
}

export interface ExportPreview {
  findings: Finding[]
  images: number
}

/** A file to save. */
export interface ExportedFile {
  name: string
  content: string
}

/** What came of a file: a thread, or the one that is here already. */
export type ImportOutcome =
  | {
      kind: 'imported'
      threadId: string
      title: string
      redacted: boolean
      /** Runs that were not over in the file, and are now. */
      ended: number
    }
  | { kind: 'here'; threadId: string }

/** Where an imported thread came from. Times are Unix ms. */
export interface Origin {
  importedAt: number
  exportedAt: number
  /** How many secrets were masked in the file; absent when it was not redacted. */
  masked?: number
}

export function exportPreview(of: Fields): ExportPreview {
  return {
    images: number(of, 'images'),
    findings: list(of, 'findings', (finding) => ({
      id: text(finding, 'id'),
      rules: texts(finding, 'rules'),
      fixed: flag(finding, 'fixed'),
      count: number(finding, 'count'),
      places: list(finding, 'places', (place) => ({
        kind: text(place, 'kind'),
        runId: text(place, 'runId'),
        toolCallId: text(place, 'toolCallId'),
        turn: number(place, 'turn'),
        label: text(place, 'label'),
        before: text(place, 'before'),
        after: text(place, 'after'),
        times: number(place, 'times'),
      })),
    })),
  }
}

export function imported(of: Fields): ImportOutcome {
  return {
    kind: 'imported',
    threadId: text(of, 'threadId'),
    title: text(of, 'title'),
    redacted: flag(of, 'redacted'),
    ended: number(of, 'ended'),
  }
}

export function origin(value: unknown): Origin | undefined {
  const of = fields(value)
  const redacted = fields(of.redacted)
  if (!number(of, 'importedAt')) return undefined
  return {
    importedAt: number(of, 'importedAt'),
    exportedAt: number(of, 'exportedAt'),
    masked: optionalNumber(redacted, 'secrets'),
  }
}
