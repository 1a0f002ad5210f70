import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, type RefObject, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { paneWidth } from '../../state/inspector'
import type { ThreadStore } from '../../state/threadStore'
import { useCommand } from '../../state/useCommand'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { lazily } from '../../ui/lazily'
import { Spinner } from '../../ui/Spinner'
import { Resizer } from './Resizer'

/** A window narrower than this, in px, shows the inspector as a sheet. */
const narrowWindow = 900
/** So much, in px, is left to the thread. */
const threadWidth = 380

const Inspector = lazily(async () => (await import('./Inspector')).Inspector)

/** A thread and, to its right or over it, the inspector of its runs. Ctrl I shows and hides that. */
export function WithInspector({ store, children }: { store: ThreadStore; children: ReactNode }) {
  const { inspector } = useApp()
  const open = useCell(inspector.open)
  const wanted = useCell(inspector.width)
  const box = useRef<HTMLDivElement>(null)
  const room = useWidth(box)
  const sheet = room > 0 && (window.innerWidth < narrowWindow || room < paneWidth.least + threadWidth)
  const width = room > 0 ? Math.max(paneWidth.least, Math.min(wanted, room - threadWidth)) : wanted
  useLayoutEffect(() => inspector.fit(sheet), [inspector, sheet])
  useEffect(() => inspector.selected.set(undefined), [inspector])
  useCommand('inspector', () => inspector.setOpen(!inspector.open.get()), { inDialog: open && sheet })
  useCommand('history', () => {
    inspector.tab.set('history')
    inspector.setOpen(true)
  })
  const close = () => inspector.setOpen(false)
  const content = (
    <ErrorBoundary what="The inspector" resetKey={store.threadId}>
      <Suspense fallback={<Loading />}>
        <Inspector store={store} onClose={close} />
      </Suspense>
    </ErrorBoundary>
  )
  return (
    <div ref={box} className="flex min-h-0 min-w-0 flex-1">
      {children}
      {open && !sheet && (
        <aside
          aria-label="Run inspector"
          style={{ width }}
          className="relative flex min-h-0 shrink-0 flex-col border-l border-border bg-surface"
        >
          <Resizer
            width={width}
            most={room > 0 ? room - threadWidth : paneWidth.most}
            onChange={(px) => inspector.setWidth(px)}
          />
          {content}
        </aside>
      )}
      {sheet && (
        <Dialog.Root open={open} onOpenChange={(next) => inspector.setOpen(next)}>
          <Dialog.Portal>
            <Dialog.Backdrop className="fade fixed inset-0 z-30 bg-scrim data-ending-style:opacity-0 data-starting-style:opacity-0" />
            <Dialog.Popup
              aria-label="Run inspector"
              className="fade fixed inset-y-0 right-0 outline-none z-30 flex w-[min(27.5rem,calc(100vw-2rem))] flex-col border-l border-border bg-surface shadow-popover data-ending-style:opacity-0 data-starting-style:opacity-0"
            >
              {content}
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      )}
    </div>
  )
}

function Loading() {
  return (
    <p className="flex flex-1 items-center justify-center gap-2 p-8 text-small text-muted">
      <Spinner size={14} /> Opening the inspector…
    </p>
  )
}

/** The width of an element in px; 0 where nothing measures it. */
function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}
