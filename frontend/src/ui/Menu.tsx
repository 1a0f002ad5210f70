import { Menu as Base } from '@base-ui/react/menu'
import clsx from 'clsx'
import type { IconNode } from 'lucide'
import { Icon } from './Icon'

export interface MenuItem {
  label: string
  icon: IconNode
  onSelect: () => void
  danger?: boolean
  /** Why it cannot be done now; shown under the label. */
  disabledBecause?: string
  shortcut?: string
}

interface Props {
  /** The name of the button that opens it. */
  label: string
  icon: IconNode
  items: MenuItem[]
  className?: string
  tabIndex?: number
}

/** A button with a menu of actions. */
export function Menu({ label, icon, items, className, tabIndex }: Props) {
  return (
    <Base.Root>
      <Base.Trigger
        aria-label={label}
        title={label}
        tabIndex={tabIndex}
        className={clsx(
          'inline-flex h-6 w-6 shrink-0 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-text data-popup-open:bg-raised',
          className,
        )}
      >
        <Icon node={icon} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner side="bottom" align="end" sideOffset={4} className="z-50">
          <Base.Popup className="min-w-44 rounded-block border border-border bg-raised p-1 text-small shadow-popover outline-none">
            {items.map((item) => (
              <Base.Item
                key={item.label}
                disabled={item.disabledBecause !== undefined}
                onClick={item.onSelect}
                className={clsx(
                  'flex min-h-7 items-center gap-2 rounded-control px-2 outline-none select-none data-highlighted:bg-surface',
                  item.danger ? 'text-err' : 'text-text',
                  'data-disabled:text-faint',
                )}
              >
                <Icon node={item.icon} size={14} />
                <span className="flex-1">
                  {item.label}
                  {item.disabledBecause && <span className="block text-faint">{item.disabledBecause}</span>}
                </span>
                {item.shortcut && <span className="pl-4 text-faint">{item.shortcut}</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
