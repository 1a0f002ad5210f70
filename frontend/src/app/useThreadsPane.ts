import { useEffect, useState } from 'react'
import type { App } from '../state/app'
import { useCell } from '../state/cell'
import { recall, remember } from '../state/remembered'

/** In a window under 720 px the list of threads lies over what is open: see `over` in Sidebar. */
const narrow = '(max-width: 719px)'

/** Where it is kept that the list was closed in a wide window. */
const choice = 'threads'

/** Whether the list of threads is shown: in a wide window as it was left. In a narrow window it is closed until it is asked for, and again once something was chosen. */
export function useThreadsPane(app: App): [shown: boolean, toggle: () => void] {
  const [shown, setShown] = useState(begins)
  const route = useCell(app.router.route)
  useEffect(() => {
    const media = matchMedia(narrow)
    const follow = () => setShown(begins())
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another route is a choice made
  useEffect(() => {
    if (matchMedia(narrow).matches) setShown(false)
  }, [route])
  const toggle = () => {
    if (!matchMedia(narrow).matches) remember(choice, shown ? 'closed' : 'open')
    setShown(!shown)
  }
  return [shown, toggle]
}

function begins(): boolean {
  return !matchMedia(narrow).matches && recall(choice) !== 'closed'
}
