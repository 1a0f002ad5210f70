import { useEffect, useRef } from 'react'

/** Stands at the end of something that scrolls and tells when it is on the screen. */
export function Sentinel({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    if (!mark.current) return
    if (typeof IntersectionObserver === 'undefined') {
      seen.current()
      return
    }
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) seen.current()
    })
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={mark} className="h-px" />
}
