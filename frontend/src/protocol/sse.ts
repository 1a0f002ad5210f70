/** One server-sent event: what stood between two empty lines and had data. */
export interface SseEvent {
  id?: string // only when it stood in this very event
  event?: string
  data: string
  cut: boolean // it was longer than the reader's limit; data is its beginning
}

/** Reads server-sent events from bytes that come in any pieces. */
export interface SseReader {
  /** Takes the next bytes and gives the events they complete. What the stream's end leaves incomplete was cut off, and is no event. */
  push(bytes: Uint8Array): SseEvent[]
  /** The id of the last event that had one: what to reconnect with. Comments do not touch it. */
  readonly lastEventId: string
}

/** The longest event a reader takes whole, in UTF-16 units: more than any server that keeps large payloads apart sends. */
export const defaultLimit = 64 << 20

const kept = 4096 // of an event over the limit

/**
 * Takes LF, CRLF and CR line ends, a byte order mark, `data:` with or without the space and over several lines, comments and
 * unknown fields. An event is given as soon as its empty line is there, after a lone CR too, where a ready-made parser waits for
 * the next byte, which may be a pause away.
 */
export function newSseReader(limit = defaultLimit): SseReader {
  const decoder = new TextDecoder() // takes away the byte order mark
  let line = ''
  let lineCut = false
  let afterCr = false
  let id: string | undefined
  let event: string | undefined
  let data: string | undefined
  let cut = false
  let lastEventId = ''

  function append(piece: string): void {
    if (lineCut) return
    if (line.length + piece.length + (data?.length ?? 0) <= limit) {
      line += piece
      return
    }
    line = (line + piece.slice(0, kept)).slice(0, kept)
    lineCut = true
  }

  function endLine(events: SseEvent[]): void {
    if (line === '') {
      if (id !== undefined) lastEventId = id
      if (data !== undefined) events.push({ id, event, data, cut })
      id = event = data = undefined
      cut = false
    } else {
      field()
    }
    line = ''
    lineCut = false
  }

  function field(): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      if (!cut) data = data === undefined ? value : `${data}\n${value}`
      cut ||= lineCut
    } else if (name === 'id') {
      if (value !== '' && !value.includes('\0')) id = value
    } else if (name === 'event') {
      event = value === '' ? undefined : value
    }
  }

  return {
    get lastEventId() {
      return lastEventId
    },
    push(bytes) {
      const events: SseEvent[] = []
      const text = decoder.decode(bytes, { stream: true })
      if (text === '') return events
      let at = 0
      if (afterCr && text[0] === '\n') at = 1
      afterCr = false
      let lf = text.indexOf('\n', at)
      let cr = text.indexOf('\r', at)
      while (lf >= 0 || cr >= 0) {
        const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
        append(text.slice(at, end))
        endLine(events)
        at = end + 1
        if (end === cr) {
          if (lf === at) at++
          afterCr = at === text.length && lf !== at - 1
        }
        if (lf >= 0 && lf < at) lf = text.indexOf('\n', at)
        if (cr >= 0 && cr < at) cr = text.indexOf('\r', at)
      }
      append(text.slice(at))
      return events
    },
  }
}
