import clsx from 'clsx'
import Braces from 'lucide/dist/esm/icons/braces.mjs'
import Copy from 'lucide/dist/esm/icons/copy.mjs'
import Download from 'lucide/dist/esm/icons/download.mjs'
import Maximize2 from 'lucide/dist/esm/icons/maximize-2.mjs'
import { type ReactNode, useMemo, useState } from 'react'
import { IconButton } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Dialog } from '../../ui/Dialog'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { size } from '../../ui/format'
import { Keep, useKept } from '../../ui/kept'
import { bytesOf, save } from '../../ui/save'
import { PlainLines } from './Lines'
import { useSave } from './useSave'

interface Props {
  /** What the block is; the panel's title too. */
  title: string
  /** How the title is drawn, where it is more than its text. */
  heading?: ReactNode
  meta?: ReactNode
  /** What Copy copies. */
  copyText: string
  /** What Save saves, where it is not the text that Copy copies, and the file's name. */
  file: { name: string; content?: () => Promise<Blob> }
  /** The JSON text behind the block. */
  raw: string
  /** Raw stands beside the content, not in its place. */
  beside?: boolean
  /** Draws the content; full draws all of it. */
  children: (full: boolean) => ReactNode
}

/** A block so large says its size, in bytes. */
const large = 4000

/** The frame of a details block: what it is, Raw, Copy, Save, Open in panel, and its content. A fault in the content stays in it. */
export function BlockFrame({ title, heading, meta, copyText, file, raw, beside, children }: Props) {
  const [showRaw, setShowRaw] = useKept('raw', false)
  const [panel, setPanel] = useState(false)
  const saveFile = useSave()
  const sized = !file.content && copyText.length > large / 4
  const bytes = useMemo(() => (sized ? bytesOf(copyText) : 0), [copyText, sized])
  const content = (full: boolean) => (
    <ErrorBoundary what={title} resetKey={raw}>
      {showRaw ? <Raw raw={raw} full={full} beside={beside && children(full)} /> : children(full)}
    </ErrorBoundary>
  )
  return (
    // A group, not a region: a page full of blocks would be a page full of landmarks.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <section
      role="group"
      aria-label={title}
      data-block={title}
      className="group/block @container min-w-0 overflow-hidden rounded-block border border-border bg-surface"
    >
      <header className="flex h-8 items-center gap-2 border-b border-border pr-1 pl-3 text-small text-muted">
        <span className="min-w-0 flex-1 truncate">{heading ?? title}</span>
        {meta && <span className="tnum truncate font-mono text-code">{meta}</span>}
        {bytes > large && <span className="tnum font-mono text-code text-faint">{size(bytes)}</span>}
        <span className="fade flex opacity-60 group-focus-within/block:opacity-100 group-hover/block:opacity-100">
          <IconButton
            icon={Braces}
            label={showRaw ? (beside ? 'Hide raw' : 'Show as drawn') : 'Raw'}
            size={14}
            aria-pressed={showRaw}
            className={clsx(showRaw && 'bg-raised text-text')}
            onClick={() => setShowRaw(!showRaw)}
          />
          <IconButton
            icon={Copy}
            label="Copy"
            size={14}
            onClick={() => void copy(showRaw && !beside ? raw : copyText, title)}
          />
          <IconButton
            icon={Download}
            label="Save"
            size={14}
            onClick={() => void save(saveFile, file.name, file.content ?? (() => new Blob([copyText])))}
          />
          <IconButton icon={Maximize2} label="Open in panel" size={14} onClick={() => setPanel(true)} />
        </span>
      </header>
      {content(false)}
      <Dialog open={panel} onClose={() => setPanel(false)} title={title} wide>
        <div className="@container">
          <Keep name="panel">{content(true)}</Keep>
        </div>
      </Dialog>
    </section>
  )
}

function Raw({ raw, full, beside }: { raw: string; full: boolean; beside: ReactNode }) {
  const lines = <PlainLines text={raw} full={full} />
  if (!beside) return lines
  return (
    <div className="grid @2xl:grid-cols-2">
      <div className="min-w-0">{beside}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: no form control stands in it */}
      <div role="group" aria-label="Raw" className="min-w-0 border-border not-@2xl:border-t @2xl:border-l">
        <Keep name="raw">{lines}</Keep>
      </div>
    </div>
  )
}
