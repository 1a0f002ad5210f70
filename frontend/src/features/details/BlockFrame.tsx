import clsx from 'clsx'
import Braces from 'lucide/dist/esm/icons/braces.mjs'
import Copy from 'lucide/dist/esm/icons/copy.mjs'
import Maximize2 from 'lucide/dist/esm/icons/maximize-2.mjs'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Dialog } from '../../ui/Dialog'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { useKept } from '../../ui/kept'
import { PlainLines } from './Lines'

interface Props {
  /** What the block is; the panel's title too. */
  title: string
  /** How the title is drawn, where it is more than its text. */
  heading?: ReactNode
  meta?: ReactNode
  /** What Copy copies. */
  copyText: string
  /** The JSON text behind the block. */
  raw: string
  /** Draws the content; full draws all of it. */
  children: (full: boolean) => ReactNode
}

/** The frame of a details block: what it is, Raw, Copy, Open in panel, and its content. A fault in the content stays in it. */
export function BlockFrame({ title, heading, meta, copyText, raw, children }: Props) {
  const [showRaw, setShowRaw] = useKept('raw', false)
  const [panel, setPanel] = useState(false)
  const content = (full: boolean) => (
    <ErrorBoundary what={title} resetKey={raw}>
      {showRaw ? <PlainLines text={raw} full={full} /> : children(full)}
    </ErrorBoundary>
  )
  return (
    <section
      aria-label={title}
      data-block={title}
      className="group/block min-w-0 overflow-hidden rounded-block border border-border bg-surface"
    >
      <header className="flex h-8 items-center gap-2 border-b border-border pr-1 pl-3 text-small text-muted">
        <span className="min-w-0 flex-1 truncate">{heading ?? title}</span>
        {meta && <span className="tnum font-mono text-code">{meta}</span>}
        <span className="fade flex opacity-60 group-focus-within/block:opacity-100 group-hover/block:opacity-100">
          <IconButton
            icon={Braces}
            label={showRaw ? 'Show as drawn' : 'Raw'}
            size={14}
            aria-pressed={showRaw}
            className={clsx(showRaw && 'bg-raised text-text')}
            onClick={() => setShowRaw(!showRaw)}
          />
          <IconButton icon={Copy} label="Copy" size={14} onClick={() => void copy(showRaw ? raw : copyText, title)} />
          <IconButton icon={Maximize2} label="Open in panel" size={14} onClick={() => setPanel(true)} />
        </span>
      </header>
      {content(false)}
      <Dialog open={panel} onClose={() => setPanel(false)} title={title} wide>
        {content(true)}
      </Dialog>
    </section>
  )
}
