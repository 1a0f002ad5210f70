const grouped = new Intl.NumberFormat('en')
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** A duration in ms: "84 ms", "5.0 s", "3 min 12 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return longDuration(seconds)
}

/** How long something has lasted so far, in whole seconds so that it does not flicker. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : longDuration(seconds)
}

function longDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days`
}

/** A size in bytes: "812 B", "41.3 KB", "2.0 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A whole number with its thousands set apart. */
export function count(n: number): string {
  return grouped.format(n)
}

/** "1 call", "1,902 calls". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/**
 * The name of an agent for a line of text: its own name and its server's, behind the @, each in its own direction, so that a name
 * from right to left does not change places with what stands beside it. Of ASCII there is nothing to do.
 */
export function agentLabel(name: string): string {
  if (/^[ -~]*$/.test(name)) return name
  return name
    .split(/(@)(?=[^@]*$)/)
    .map((part) => (part === '@' ? part : `\u2068${part}\u2069`))
    .join('')
}

/** The time of day: "12:04". */
export function timeOfDay(at: number): string {
  return clock.format(at)
}

/** The time of day to the second: "12:04:31". */
export function exactTime(at: number): string {
  return clockSeconds.format(at)
}

/** When something was, as short as its day allows: "now", "12:04", "3 Mar", "3 Mar 2024". */
export function when(at: number, now: number): string {
  if (now - at < 60_000) return 'now'
  const then = new Date(at)
  const today = new Date(now)
  if (then.toDateString() === today.toDateString()) return clock.format(at)
  return then.getFullYear() === today.getFullYear() ? day.format(at) : dayYear.format(at)
}

/** A day and a time of day: "3 Mar, 12:04"; with the year when it is another. */
export function moment(at: number): string {
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear()
  return `${(sameYear ? day : dayYear).format(at)}, ${clock.format(at)}`
}

/** The end of a path, which tells it from others. */
export function shortPath(path: string): string {
  const parts = path.split(/[/\\]/)
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}
