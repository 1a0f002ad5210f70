import { useEffect, useRef, useState } from 'react'
import { stringValue } from '../../protocol/json'
import { Verbatim } from '../../ui/Verbatim'
import { GrowingArguments, openString } from './growing'

/** How often growing arguments are drawn, in ms, and how many of the last lines of an open string are shown. */
const interval = 125
const lastLines = 20
/** A tail of raw text, in UTF-16 units. */
const rawTail = 2000

/** Arguments as they grow: complete members as a list, the open string decoded with its last lines, anything else as raw text. */
export function GrowingView({ text }: { text: string }) {
  const shown = useSampled(text)
  const reader = useRef<GrowingArguments>(null)
  reader.current ??= new GrowingArguments()
  if (!shown) return <p className="px-3 py-2 text-small text-faint">No arguments yet</p>
  const { members, open, other } = reader.current.read(shown)
  if (other) {
    return (
      <pre className="px-3 py-2 font-mono text-code break-spaces">
        <Tail text={shown.slice(-rawTail)} cut={shown.length > rawTail} />
      </pre>
    )
  }
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,max-content)_1fr] gap-x-6 gap-y-1 px-3 py-2 font-mono text-code">
      {members.map((member, index) => (
        <div key={index} className="contents">
          <dt className="max-w-60 text-muted break-spaces">
            <Verbatim text={decoded(member.keyText)} />
          </dt>
          <dd className="min-w-0 break-spaces">
            <Verbatim text={brief(member.valueText)} />
          </dd>
        </div>
      ))}
      {open && (
        <div className="contents">
          <dt className="max-w-60 text-muted break-spaces">
            <Verbatim text={decoded(open.keyText)} />
          </dt>
          <dd className="min-w-0">
            <OpenValue text={open.valueText} />
          </dd>
        </div>
      )}
    </dl>
  )
}

function OpenValue({ text }: { text: string }) {
  if (!text.startsWith('"')) {
    return (
      <pre className="break-spaces">
        <Tail text={text.slice(-rawTail)} cut={text.length > rawTail} />
      </pre>
    )
  }
  // A long string is decoded from near its end: its beginning is not shown.
  const from = Math.max(0, text.length - 8 * rawTail)
  const start = from === 0 ? 0 : text.indexOf('\\n', from)
  const lines = openString(start > 0 ? `"${text.slice(start + 2)}` : text.slice(start < 0 ? from : start)).split('\n')
  const cut = start !== 0 || lines.length > lastLines
  return (
    <pre className="break-spaces">
      <Tail text={lines.slice(-lastLines).join('\n')} cut={cut} />
    </pre>
  )
}

function Tail({ text, cut }: { text: string; cut: boolean }) {
  return (
    <>
      {cut && <span className="text-faint">…{'\n'}</span>}
      <Verbatim text={text} />
      <span aria-hidden="true" className="inline-block h-3 w-1.5 translate-y-0.5 bg-stream" />
    </>
  )
}

function decoded(keyText: string): string {
  try {
    return stringValue(keyText)
  } catch {
    return keyText
  }
}

/** A complete value: a string decoded, the last lines of a long one. */
function brief(valueText: string): string {
  if (!valueText.startsWith('"')) return valueText.length > rawTail ? `${valueText.slice(0, rawTail)}…` : valueText
  const lines = openString(valueText.slice(0, -1)).split('\n')
  const shown = lines.slice(-lastLines).join('\n')
  return lines.length > lastLines ? `…\n${shown}` : shown
}

/** A value looked at no more often than the interval. */
function useSampled(value: string): string {
  const [shown, setShown] = useState(value)
  const latest = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  latest.current = value
  useEffect(() => {
    if (latest.current === shown || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      setShown(latest.current)
    }, interval)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return shown
}
