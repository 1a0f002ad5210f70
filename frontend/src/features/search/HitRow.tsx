import clsx from 'clsx'
import { memo } from 'react'
import { escapeInvisible } from '../../protocol/text'
import type { Hit } from '../../transport/search'
import { exactTime, moment, when } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'
import { statusOfState } from '../call/status'
import { piecesOf } from './groups'
import { kindWords } from './words'

interface Props {
  hit: Hit
  now: number
  /** Its place among all hits. */
  at: number
  active: boolean
  onFocus: (at: number) => void
  onOpen: (hit: Hit) => void
}

/** A text that was found: what it is, of which call and in what state, when, and the piece with what was searched for. */
export const HitRow = memo(function HitRow({ hit, now, at, active, onFocus, onOpen }: Props) {
  const { kind, tool, label, state, agentName } = hit
  const status = state && statusOfState(state)
  return (
    <li>
      <button
        type="button"
        data-hit={at}
        data-kind={kind}
        tabIndex={active ? 0 : -1}
        onFocus={() => onFocus(at)}
        onClick={() => onOpen(hit)}
        className={clsx(
          'flex w-full scroll-my-4 flex-col gap-0.5 rounded-control border-l-2 px-3 py-1.5 text-left hover:bg-raised',
          active ? 'border-accent bg-raised' : 'border-transparent',
        )}
      >
        <span className="flex w-full min-w-0 items-center gap-2">
          <span className={clsx('min-w-0 truncate font-semibold', tool && !label && 'font-mono text-code')}>
            <Verbatim text={label || tool || kindWords[kind]} />
          </span>
          {tool && (
            <span className="min-w-0 truncate text-small text-muted">
              {kindWords[kind]}
              {label && (
                <span className="font-mono text-code max-md:hidden">
                  {' · '}
                  <Verbatim text={tool} />
                </span>
              )}
            </span>
          )}
          <span className="flex-1" />
          {status && (
            <span className={clsx('flex shrink-0 items-center gap-1 text-small', status.tone)}>
              {status.icon && <Icon node={status.icon} size={14} />} {status.word}
            </span>
          )}
          <span className="shrink-0 text-small text-faint max-md:hidden">{escapeInvisible(agentName)}</span>
          <time
            dateTime={new Date(hit.at).toISOString()}
            title={`${moment(hit.at)} (${exactTime(hit.at)})`}
            className="tnum shrink-0 text-right text-small whitespace-nowrap text-faint"
          >
            {when(hit.at, now)}
          </time>
        </span>
        <span
          className={clsx(
            'line-clamp-2 text-muted [overflow-wrap:anywhere]',
            kind === 'message' || kind === 'text' || kind === 'reasoning' ? 'text-small' : 'font-mono text-code',
          )}
        >
          {piecesOf(hit).map(({ text, marked }, index) =>
            marked ? (
              <mark key={index} className="hit">
                <Verbatim text={text} />
              </mark>
            ) : (
              <Verbatim key={index} text={text} />
            ),
          )}
        </span>
      </button>
    </li>
  )
})
