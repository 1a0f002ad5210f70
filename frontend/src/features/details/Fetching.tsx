import type { Ref } from '../../protocol/events'
import { Button } from '../../ui/Button'
import { size } from '../../ui/format'
import { Verbatim } from '../../ui/Verbatim'

interface Props {
  refs: readonly Ref[]
  fault: string | undefined
  again: () => void
}

/** Stands for large values while they are fetched: how much it is, and how it begins. */
export function Fetching({ refs, fault, again }: Props) {
  const bytes = refs.reduce((sum, ref) => sum + ref.bytes, 0)
  const head = refs.find((ref) => ref.head !== '')?.head
  return (
    <div
      aria-busy={fault === undefined}
      className="min-w-0 overflow-hidden rounded-block border border-border bg-surface px-3 py-2 text-small"
    >
      <div className="flex items-center gap-3">
        <p className={fault === undefined ? 'text-muted' : 'text-err'}>
          {fault === undefined ? `Fetching ${size(bytes)}…` : `${size(bytes)} could not be fetched: ${fault}`}
        </p>
        {fault !== undefined && (
          <Button small onClick={again}>
            Try again
          </Button>
        )}
      </div>
      {head && (
        <p className="truncate font-mono text-code text-faint">
          <Verbatim text={head} />
        </p>
      )}
    </div>
  )
}
