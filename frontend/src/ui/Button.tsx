import clsx from 'clsx'
import type { IconNode } from 'lucide'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Icon } from './Icon'
import { Spinner } from './Spinner'

type Tone = 'primary' | 'plain' | 'danger' | 'ghost' | 'wait'

interface Props extends Omit<ComponentProps<'button'>, 'children'> {
  tone?: Tone
  icon?: IconNode
  /** The key that does the same, shown on the button. */
  shortcut?: string
  busy?: boolean
  small?: boolean
  children: ReactNode
}

const tones: Record<Tone, string> = {
  primary: 'bg-accent text-on-accent border-accent hover:bg-[color-mix(in_srgb,var(--accent)_88%,var(--text))]',
  plain: 'bg-raised text-text border-border hover:border-faint',
  danger: 'bg-transparent text-err border-border hover:border-err',
  ghost: 'bg-transparent text-muted border-transparent hover:bg-raised hover:text-text',
  wait: 'bg-transparent text-wait border-border hover:border-wait',
}

/** A button with a word on it. While busy it shows that, keeps the focus, and takes no second press. */
export function Button({ tone = 'plain', icon, shortcut, busy, small, children, className, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      disabled={disabled && !busy} // one that is disabled loses the focus
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      className={clsx(
        'inline-flex shrink-0 items-center gap-2 rounded-control border font-medium whitespace-nowrap select-none',
        small ? 'h-6 px-2 text-small' : 'h-7 px-3 text-small',
        'disabled:cursor-default disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50',
        tones[tone],
        className,
      )}
      {...rest}
      onClick={busy ? ignore : rest.onClick}
    >
      {busy ? <Spinner size={14} /> : icon && <Icon node={icon} size={14} />}
      {children}
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </button>
  )
}

function ignore(event: MouseEvent) {
  event.preventDefault() // it may be what sends a form
}

/** A key, as it stands on a button. It is not read out: the button's name is its word. */
export function Kbd({ children }: { children: string }) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex h-4 min-w-4 items-center font-mono justify-center rounded-[4px] border border-current/60 px-1 text-[0.625rem] leading-none"
    >
      {children}
    </span>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: IconNode
  /** What it does; its name and its tooltip. */
  label: string
  size?: number
}

/** A button with only an icon on it. */
export function IconButton({ icon, label, size = 16, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        'inline-flex h-6 w-6 shrink-0 items-center justify-center rounded-control text-muted hover:bg-raised hover:text-text',
        'disabled:cursor-default disabled:opacity-50',
        className,
      )}
      {...rest}
    >
      <Icon node={icon} size={size} />
    </button>
  )
}
