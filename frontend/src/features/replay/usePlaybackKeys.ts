import { useEffect } from 'react'
import type { Playback } from '../../state/playback'
import { scrub } from './Scrubber'

/** What takes its own keys. */
const own =
  'input, textarea, select, button, a, summary, [contenteditable="true"], [role="dialog"], [role="menu"], [role="listbox"], [role="tablist"], [role="tree"], [role="separator"]'

/** Space plays and pauses wherever the focus is on nothing that wants it; the arrows move where it is on nothing at all. */
export function usePlaybackKeys(playback: Playback): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      const onPage = target === document.body
      if (!onPage && !(event.key === ' ' && target instanceof HTMLElement && !target.closest(own))) return
      if (scrub(playback, event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [playback])
}
