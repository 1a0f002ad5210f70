import { useEffect, useState } from 'react'
import type { App } from '../state/app'
import { useCell } from '../state/cell'

/** In a window under 720 px the list of threads lies over what is open: see `over` in Sidebar. */
const narrow = '(max-width: 719px)'

/** Whether the list of threads is shown. In a narrow window it is closed until it is asked for, and again once something was chosen. */
export function useThreadsPane(app: App): [shown: boolean, toggle: () => void] {
  const [shown, setShown] = useState(() => !matchMedia(narrow).matches)
  const route = useCell(app.router.route)
  useEffect(() => {
    const media = matchMedia(narrow)
    const follow = () => setShown(!media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another route is a choice made
  useEffect(() => {
    if (matchMedia(narrow).matches) setShown(false)
  }, [route])
  return [shown, () => setShown((before) => !before)]
}
