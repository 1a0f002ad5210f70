import Search from 'lucide/dist/esm/icons/search.mjs'
import { useApp } from '../../state/app'
import { Kbd } from '../../ui/Button'
import { Icon } from '../../ui/Icon'

/** The way to threads and commands, drawn as the field it opens. */
export function PaletteButton() {
  const app = useApp()
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K"
      title="Search threads and commands (Ctrl K)"
      onClick={() => app.over.set('palette')}
      className="flex h-7 w-full max-w-[27.5rem] min-w-7 items-center gap-2 rounded-control border border-faint bg-bg px-2 text-small text-faint hover:border-accent hover:text-text"
    >
      <Icon node={Search} size={14} />
      <span className="min-w-0 flex-1 truncate text-left max-sm:sr-only">Search threads and commands</span>
      <span className="max-sm:hidden">
        <Kbd>Ctrl K</Kbd>
      </span>
    </button>
  )
}
