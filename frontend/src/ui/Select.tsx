import { Select as Base } from '@base-ui/react/select'
import clsx from 'clsx'
import Check from 'lucide/dist/esm/icons/check.mjs'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import type { ComponentProps } from 'react'
import { Icon } from './Icon'

export interface Option {
  value: string
  label: string
  /** A few words under the label. */
  note?: string
}

interface Props extends Pick<ComponentProps<'button'>, 'id' | 'tabIndex' | 'autoFocus' | 'aria-describedby'> {
  label: string
  value: string
  options: Option[]
  onChange: (value: string) => void
  disabled?: boolean
  /** Without an edge, for a toolbar. */
  quiet?: boolean
  className?: string
}

/** A choice of one from a few. */
export function Select({ label, value, options, onChange, disabled, quiet, className, ...trigger }: Props) {
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={disabled}
    >
      <Base.Trigger
        aria-label={label}
        title={label}
        {...trigger}
        className={clsx(
          'inline-flex h-7 min-w-0 items-center gap-1 rounded-control border px-2 text-small hover:bg-raised data-disabled:opacity-50',
          quiet ? 'border-transparent text-muted hover:text-text' : 'border-faint bg-bg text-text',
          className,
        )}
      >
        <Base.Value className="min-w-0 flex-1 truncate text-left" />
        <Base.Icon className="text-faint">
          <Icon node={ChevronDown} size={14} />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner role="region" aria-label={label} className="z-50" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="max-h-80 max-w-96 min-w-(--anchor-width) overflow-y-auto rounded-block border border-border bg-raised p-1 text-small shadow-popover outline-none">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                className="flex min-h-7 items-center gap-2 rounded-control py-1 pr-3 pl-2 outline-none select-none data-highlighted:bg-surface"
              >
                <span className="w-4">
                  <Base.ItemIndicator>
                    <Icon node={Check} size={14} />
                  </Base.ItemIndicator>
                </span>
                <span className="min-w-0">
                  <Base.ItemText className="block truncate">{option.label}</Base.ItemText>
                  {option.note && <span className="block text-muted">{option.note}</span>}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
