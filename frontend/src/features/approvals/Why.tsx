import clsx from 'clsx'
import { useLayoutEffect, useRef, useState } from 'react'
import { Verbatim } from '../../ui/Verbatim'
import type { Asked } from './asked'

/** Why a call waits for a person: its first line beside what follows, or two lines above it, and all of it when asked. */
export function Why({ asked: { approval }, brief }: { asked: Asked; brief: boolean }) {
  const text =
    approval.kind === 'unknown'
      ? 'The app stopped while this call ran. Whether it did its work is not known, and it may still be running.'
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
    <>
      <span
        ref={box}
        className={clsx(
          'min-w-0 [overflow-wrap:anywhere]',
          brief ? 'flex-1 basis-48' : (cut || all) && 'basis-full',
          !all && (brief ? 'line-clamp-1' : 'line-clamp-2'),
        )}
      >
        <Verbatim text={text} />
      </span>
      {(cut || all) && (
        <button
          type="button"
          aria-expanded={all}
          aria-label={all ? 'Less of why it asks' : 'More of why it asks'}
          onClick={() => setAll(!all)}
          className="shrink-0 rounded-control text-accent hover:underline"
        >
          {all ? 'Less' : 'More'}
        </button>
      )}
    </>
  )
}
