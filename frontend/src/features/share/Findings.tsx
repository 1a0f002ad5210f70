import { useState } from 'react'
import type { Finding, Place } from '../../transport/share'
import { Button } from '../../ui/Button'
import { Verbatim } from '../../ui/Verbatim'
import { byRule, countOf, placeWords } from './words'

interface Props {
  findings: readonly Finding[]
  /** Ids of those that stay in. */
  left: ReadonlySet<string>
  onLeave: (ids: readonly string[], leave: boolean) => void
}

/** What would be masked: each secret with every place where it stands, to be kept out or left in by itself or by its rule. */
export function Findings({ findings, left, onLeave }: Props) {
  return (
    <div className="flex flex-col gap-4">
      {byRule(findings).map(([rule, of]) => {
        const free = of.filter((finding) => !finding.fixed).map((finding) => finding.id)
        const masked = free.some((id) => !left.has(id))
        return (
          <section key={rule} aria-label={rule} className="flex flex-col gap-2">
            <header className="flex items-center gap-2">
              <h3 className="min-w-0 flex-1 font-semibold first-letter:uppercase">{rule}</h3>
              {free.length > 1 && (
                <Button small tone="ghost" onClick={() => onLeave(free, masked)}>
                  {masked ? 'Leave all in' : 'Mask all'}
                </Button>
              )}
            </header>
            <ul className="flex flex-col gap-2">
              {of.map((finding, index) => (
                <Item
                  key={finding.id}
                  name={`${rule}${of.length > 1 ? ` ${index + 1}` : ''}`}
                  finding={finding}
                  left={left.has(finding.id)}
                  onLeave={(leave) => onLeave([finding.id], leave)}
                />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

/** So many places are shown at first. */
const few = 3

interface ItemProps {
  name: string
  finding: Finding
  left: boolean
  onLeave: (leave: boolean) => void
}

function Item({ name, finding: { fixed, count, places, rules }, left, onLeave }: ItemProps) {
  const [all, setAll] = useState(false)
  const shown = all ? places : places.slice(0, few)
  const more = places.length - shown.length
  const unlisted = count - places.length
  return (
    <li className="flex flex-col gap-1 rounded-block border border-border bg-bg p-2 text-small">
      <div className="flex items-center gap-2">
        <label className="flex min-h-6 min-w-0 flex-1 items-center gap-2">
          <input
            type="checkbox"
            aria-label={`Mask: ${name}`}
            className="h-4 w-4 shrink-0 accent-accent"
            checked={fixed || !left}
            disabled={fixed}
            onChange={(event) => onLeave(!event.target.checked)}
          />
          <span className={left && !fixed ? 'text-wait' : undefined}>
            {fixed ? 'Always masked' : left ? 'Left in' : 'Masked'} in {countOf(count, 'place')}
          </span>
        </label>
        {rules.length > 1 && <span className="text-muted">also {rules.slice(1).join(', ')}</span>}
      </div>
      <ul className="flex flex-col gap-1">
        {shown.map((place, index) => (
          <Spot key={index} place={place} />
        ))}
      </ul>
      {(more > 0 || (unlisted > 0 && all)) && (
        <div className="flex items-center gap-2 text-muted">
          {more > 0 && (
            <Button small tone="ghost" onClick={() => setAll(true)}>
              {`Show ${countOf(more, 'more place', 'more places')}`}
            </Button>
          )}
          {unlisted > 0 && all && <span>and {countOf(unlisted, 'place')} more</span>}
        </div>
      )}
    </li>
  )
}

/** Where it stands, and what is around it. */
function Spot({ place }: { place: Place }) {
  return (
    <li className="min-w-0 [overflow-wrap:anywhere]">
      <span className="text-muted">
        <Verbatim text={placeWords(place)} />
      </span>{' '}
      <span className="font-mono text-[12px]">
        <Verbatim text={place.before} />
        <mark className="rounded-[3px] bg-raised px-1 text-text">
          <span aria-hidden="true">•••</span>
          <span className="sr-only">the secret</span>
        </mark>
        <Verbatim text={place.after} />
      </span>
    </li>
  )
}
