import { useEffect, useState } from 'react'
import { useCommand } from '../state/useCommand'
import { plain, stepped } from '../state/zoom'
import { messageOf } from '../transport/apiError'
import type { Zoom } from '../transport/transport'
import { toast } from '../ui/toasts'

/**
 * Makes the page larger and smaller, as a window remembers it: every length in rem follows. Where nothing remembers it, a browser has
 * keys of its own for that.
 */
export function useZoom(zoom: Zoom | undefined): void {
  const [percent, setPercent] = useState(plain)
  useEffect(() => {
    zoom
      ?.read()
      .then(setPercent, (cause: unknown) => toast(`The size of the page was not read: ${messageOf(cause)}`, 'err'))
  }, [zoom])
  useEffect(() => {
    document.documentElement.style.fontSize = percent === plain ? '' : `${percent}%`
  }, [percent])
  const change = (next: number) => {
    setPercent(next)
    zoom?.write(next)
  }
  const bigger = stepped(percent, 1)
  const smaller = stepped(percent, -1)
  useCommand('zoom-in', () => change(bigger), { off: !zoom || bigger === percent, inDialog: true })
  useCommand('zoom-out', () => change(smaller), { off: !zoom || smaller === percent, inDialog: true })
  useCommand('zoom-reset', () => change(plain), { off: !zoom || percent === plain, inDialog: true })
}
