import clsx from 'clsx'
import { useLayoutEffect, useRef, useState } from 'react'
import { Verbatim } from '../../ui/Verbatim'
import type { Asked } from './asked'

/** Why a call waits for a person, in two lines; all of it when asked. */
export function Why({ asked: { approval } }: { asked: Asked }) {
  const text =
    approval.kind === 'unknown'
      ? 'The app stopped while this call ran. Whether it did its work is not known.'
      : approval.description || 'This call needs your approval.'
  const box = useRef<HTMLSpanElement>(null)
  const [cut, setCut] = useState(false)
  const [all, setAll] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setCut(element.scrollHeight > element.clientHeight + 1)
    look()
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <span className="min-w-0">
      <span ref={box} className={clsx('[overflow-wrap:anywhere]', all ? 'block' : 'line-clamp-2')}>
        <Verbatim text={text} />
      </span>
      {(cut || all) && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="rounded-control text-accent hover:underline"
        >
          {all ? 'Less' : 'More'}
        </button>
      )}
    </span>
  )
}
