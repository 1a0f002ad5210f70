import { Dialog as Base } from '@base-ui/react/dialog'
import clsx from 'clsx'
import X from 'lucide/dist/esm/icons/x.mjs'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from './Icon'

interface Props {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** What stands under the content: buttons. */
  footer?: ReactNode
  wide?: boolean
}

/** The places over and under what scrolls in the dialog one stands in: null while not there yet, undefined outside of a dialog. */
const HeadContext = createContext<HTMLElement | null | undefined>(undefined)
const FootContext = createContext<HTMLElement | null | undefined>(undefined)

/** What can take the focus of what a dialog holds. */
const stops = 'input:not([type=file]), textarea, select, button, a[href], [tabindex="0"]'

/**
 * A modal dialog. Focus goes in when it opens, to the first thing in it that is not its Close, and back where it was when it closes.
 * What comes later, of a chunk or of the server, takes the focus itself.
 */
export function Dialog({ open, onClose, title, children, footer, wide }: Props) {
  const popup = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const [head, setHead] = useState<HTMLElement | null>(null)
  const [foot, setFoot] = useState<HTMLElement | null>(null)
  // Of what is there when it is asked: the parts of this drawing may be those of one before.
  const first = () =>
    focusWithin(popup.current) ??
    [...(popup.current?.querySelectorAll<HTMLElement>(stops) ?? [])].find(
      (each) => each.tabIndex >= 0 && !each.matches(':disabled') && !bar.current?.contains(each),
    ) ??
    popup.current
  const shown = useRef(title)
  // What had the focus is gone with what the dialog showed before.
  useEffect(() => {
    if (shown.current !== title && document.activeElement === document.body) popup.current?.focus()
    shown.current = title
  }, [title])
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fade fixed inset-0 z-40 bg-scrim data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={first}
          className={clsx(
            'fade fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-48px)] -translate-x-1/2 -translate-y-1/2 flex-col',
            'rounded-block border border-border bg-surface shadow-popover data-ending-style:opacity-0 data-starting-style:opacity-0',
            wide ? 'w-[min(67.5rem,calc(100vw-3rem))]' : 'w-[min(35rem,calc(100vw-3rem))]',
          )}
        >
          <div ref={bar} className="flex h-11 shrink-0 items-center gap-2 border-b border-border pr-2 pl-4">
            <Base.Title className="min-w-0 flex-1 truncate font-semibold">{title}</Base.Title>
            <Base.Close
              aria-label="Close"
              title="Close"
              className="inline-flex h-7 w-7 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-text"
            >
              <Icon node={X} />
            </Base.Close>
          </div>
          <div ref={setHead} className="shrink-0 border-b border-border px-3 py-2 empty:hidden" />
          <div className="min-h-0 flex-1 overflow-y-auto p-4">
            <HeadContext value={head}>
              <FootContext value={foot}>{children}</FootContext>
            </HeadContext>
          </div>
          <footer
            ref={setFoot}
            className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-border px-4 py-3 empty:hidden"
          >
            {footer}
          </footer>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** What has the focus already, as a field that asked for it. */
function focusWithin(popup: HTMLElement | null): HTMLElement | undefined {
  const { activeElement } = document
  return activeElement instanceof HTMLElement && popup?.contains(activeElement) ? activeElement : undefined
}

/** What a part of a dialog's content puts over it, where nothing scrolls under it. */
export function InHeader({ children }: { children: ReactNode }) {
  const head = useContext(HeadContext)
  return head === undefined ? children : head && createPortal(children, head)
}

/** What a part of a dialog's content puts under it, where it does not scroll away. */
export function InFooter({ children }: { children: ReactNode }) {
  const foot = useContext(FootContext)
  if (foot === undefined) return <div className="flex flex-wrap justify-end gap-2">{children}</div>
  return foot && createPortal(children, foot)
}
