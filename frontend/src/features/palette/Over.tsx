import { Suspense, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { lazily } from '../../ui/lazily'

const Palette = lazily(async () => (await import('./Palette')).Palette)
const KeyboardDialog = lazily(async () => (await import('./KeyboardDialog')).KeyboardDialog)
const AboutDialog = lazily(async () => (await import('../about/AboutDialog')).default)
const LicencesDialog = lazily(async () => (await import('../about/LicencesDialog')).default)
const ReadmeDialog = lazily(async () => (await import('../about/ReadmeDialog')).default)

/** So long, in ms, the window has for what it shows first before the palette is loaded unasked. */
const rest = 1500

/** What lies over the window when it is asked for: the search, the keys, or a text on the program itself. */
export function Over() {
  const app = useApp()
  const over = useCell(app.over)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => void Palette.load().then(setLoaded), rest)
    return () => clearTimeout(timer)
  }, [])
  const close = () => app.over.set(undefined)
  return (
    <>
      <Suspense>
        {over === 'keyboard' && <KeyboardDialog onClose={close} />}
        {over === 'about' && <AboutDialog onClose={close} />}
        {over === 'licences' && <LicencesDialog onClose={close} />}
        {over === 'readme' && <ReadmeDialog onClose={close} />}
      </Suspense>
      {(loaded || over === 'palette') && (
        <Suspense>
          <Palette open={over === 'palette'} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
