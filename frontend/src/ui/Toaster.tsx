import { Toast } from '@base-ui/react/toast'
import clsx from 'clsx'
import X from 'lucide/dist/esm/icons/x.mjs'
import type { ReactNode } from 'react'
import { Icon } from './Icon'
import { toasts } from './toasts'

/** Draws the toasts over what it holds. */
export function Toaster({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((each) => (
    <Toast.Root
      key={each.id}
      toast={each}
      className={clsx(
        'fade flex items-center gap-2 rounded-block border bg-raised px-3 py-2 text-small shadow-popover data-ending-style:opacity-0',
        each.type === 'err' ? 'border-err text-err' : 'border-border text-text',
      )}
    >
      <Toast.Title className="min-w-0 flex-1 [overflow-wrap:anywhere]" />
      <Toast.Action className="h-6 rounded-control px-2 font-medium text-accent hover:bg-surface" />
      <Toast.Close
        aria-label="Close"
        className="inline-flex h-6 w-6 items-center justify-center rounded-control text-muted hover:bg-surface"
      >
        <Icon node={X} size={14} />
      </Toast.Close>
    </Toast.Root>
  ))
}
