import { lazy, Suspense } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { KeyboardDialog } from './KeyboardDialog'

const Palette = lazy(() => import('./Palette').then((module) => ({ default: module.Palette })))

/** What lies over the window when it is asked for: the search, or the keys. */
export function Over() {
  const app = useApp()
  const over = useCell(app.over)
  const close = () => app.over.set(undefined)
  return (
    <>
      <KeyboardDialog open={over === 'keyboard'} onClose={close} />
      <Suspense>
        <Palette open={over === 'palette'} onClose={close} />
      </Suspense>
    </>
  )
}
