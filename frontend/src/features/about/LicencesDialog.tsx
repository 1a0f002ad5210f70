import clsx from 'clsx'
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextInput } from '../../ui/Field'
import { Icon } from '../../ui/Icon'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { useAnswer } from '../inspector/useAnswer'
import { type Part, readLicences } from './licences'

/** What is in the program besides Callboard, and under which licences. Up and Down go from part to part. */
export default function LicencesDialog({ onClose }: { onClose: () => void }) {
  const { value: parts, fault, busy, again } = useAnswer('licences', readLicences)
  const [query, setQuery] = useState('')
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [active, setActive] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLUListElement>(null)
  const sought = query.trim().toLowerCase()
  const shown = (parts ?? []).filter(({ name, licences }) =>
    `${name} ${licences.join(' ')}`.toLowerCase().includes(sought),
  )
  const keys = shown.map(keyOf)
  const stop = active !== undefined && keys.includes(active) ? active : keys[0]
  const focusOn = (index: number) => box.current?.querySelectorAll<HTMLElement>('[aria-expanded]')[index]?.focus()
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element && event.target.hasAttribute('aria-expanded'))) return
    const at = keys.indexOf(stop ?? '')
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: keys.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    if (to < 0) field.current?.focus()
    else focusOn(to)
  }
  const toggle = (key: string) => {
    const next = new Set(opened)
    if (!next.delete(key)) next.add(key)
    setOpened(next)
  }
  return (
    <Dialog open onClose={onClose} title="Licences" wide>
      <p className="pb-3 text-small text-muted">
        Callboard itself is under the MIT licence. In the program are {parts ? parts.length : 'the'} parts that others
        made, each under its own.
      </p>
      {busy && !parts && <Spinner />}
      {fault && (
        <Notice
          tone="err"
          role="alert"
          actions={
            <Button small busy={busy} onClick={again}>
              Try again
            </Button>
          }
        >
          The licences could not be read: {fault}. `make build` puts them into the program.
        </Notice>
      )}
      {parts && (
        <>
          <TextInput
            ref={field}
            autoFocus
            type="search"
            aria-label="Search by name or licence"
            placeholder="Search by name or licence"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') {
                event.preventDefault()
                focusOn(0)
              }
            }}
          />
          <ul ref={box} aria-label="Parts" className="pt-2" onKeyDown={press}>
            {shown.map((part, index) => {
              const key = keys[index] ?? ''
              return (
                <Row
                  key={key}
                  part={part}
                  open={opened.has(key)}
                  tabStop={key === stop}
                  onFocus={() => setActive(key)}
                  onToggle={() => toggle(key)}
                />
              )
            })}
          </ul>
          {shown.length === 0 && (
            <div className="flex flex-wrap items-center gap-2 text-small text-muted">
              <p className="[overflow-wrap:anywhere]">Nothing matches ‘{query}’.</p>
              <Button small onClick={() => setQuery('')}>
                Clear search
              </Button>
            </div>
          )}
        </>
      )}
    </Dialog>
  )
}

interface RowProps {
  part: Part
  open: boolean
  tabStop: boolean
  onFocus: () => void
  onToggle: () => void
}

function Row({ part: { name, version, from, licences, text }, open, tabStop, onFocus, onToggle }: RowProps) {
  const id = useId()
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        tabIndex={tabStop ? 0 : -1}
        onFocus={onFocus}
        onClick={onToggle}
        className={clsx(
          'flex min-h-8 w-full items-center gap-x-3 rounded-control px-1 py-1 text-left text-small hover:bg-raised',
          open && 'bg-raised',
        )}
      >
        <Icon node={open ? ChevronDown : ChevronRight} size={14} className="shrink-0 text-faint" />
        <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
          <span className="font-mono text-code [overflow-wrap:anywhere]">{name}</span>
          <span className="text-faint [overflow-wrap:anywhere]">
            {version} ({from})
          </span>
        </span>
        <span className="max-w-[40%] text-right text-muted">{licences.join(', ')}</span>
      </button>
      {open && (
        <pre
          id={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: without a stop in it nothing would scroll by keys
          tabIndex={0}
          className="my-1 max-h-96 overflow-auto rounded-block border border-border bg-bg p-3 text-code break-spaces"
        >
          {text}
        </pre>
      )}
    </li>
  )
}

function keyOf({ from, name, version }: Part): string {
  return `${from} ${name} ${version}`
}
