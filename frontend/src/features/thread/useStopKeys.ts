import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { useCommand } from '../../state/useCommand'
import { overlayOpen } from '../../ui/overlay'

/** How long the second Escape may take, in ms. */
const together = 1500

/** Escape twice stops the live run. True after the first one. An Escape that closes something does not count. */
export function useStopKeys(runId: string | undefined): boolean {
  const app = useApp()
  const [arming, setArming] = useState(false)
  useCommand('stop', () => runId && app.stop(runId), { off: !runId })
  useEffect(() => {
    if (!runId) return
    let first = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || overlayOpen()) return
      if (Date.now() - first <= together) {
        first = 0
        setArming(false)
        app.stop(runId)
        return
      }
      first = Date.now()
      setArming(true)
      clearTimeout(timer)
      timer = setTimeout(() => setArming(false), together)
    }
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      clearTimeout(timer)
      setArming(false)
    }
  }, [app, runId])
  return arming
}
