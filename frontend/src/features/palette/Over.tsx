import { lazy, Suspense, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { KeyboardDialog } from './KeyboardDialog'

const Palette = lazy(() => import('./Palette').then((module) => ({ default: module.Palette })))
const AboutDialog = lazy(() => import('../about/AboutDialog'))
const LicencesDialog = lazy(() => import('../about/LicencesDialog'))
const ReadmeDialog = lazy(() => import('../about/ReadmeDialog'))

/** So long, in ms, the window has for what it shows first before the palette is loaded unasked. */
const rest = 1500

/** What lies over the window when it is asked for: the search, the keys, or a text on the program itself. */
export function Over() {
  const app = useApp()
  const over = useCell(app.over)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), rest)
    return () => clearTimeout(timer)
  }, [])
  if (over === 'palette' && !loaded) setLoaded(true)
  const close = () => app.over.set(undefined)
  return (
    <>
      <KeyboardDialog open={over === 'keyboard'} onClose={close} />
      <Suspense>
        {over === 'about' && <AboutDialog onClose={close} />}
        {over === 'licences' && <LicencesDialog onClose={close} />}
        {over === 'readme' && <ReadmeDialog onClose={close} />}
      </Suspense>
      {loaded && (
        <Suspense>
          <Palette open={over === 'palette'} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
