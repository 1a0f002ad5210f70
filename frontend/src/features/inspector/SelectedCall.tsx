import { useApp } from '../../state/app'
import { labelOf } from '../../state/rows'
import { Button } from '../../ui/Button'
import { duration } from '../../ui/format'
import { bytesOf } from '../../ui/save'
import { Verbatim } from '../../ui/Verbatim'
import type { CallFigures } from './figures'
import { dropWords, stateWord } from './words'

/** The selected call in a sentence, and the way to all of it. */
export function SelectedCall({ figures: { call, waited, ran, ranMs } }: { figures: CallFigures }) {
  const { inspector } = useApp()
  const parts =
    call.state === 'dropped'
      ? [`dropped: ${dropWords(call)} ${bytesOf(call.proposedText)} bytes of them came.`]
      : [
          stateWord(call),
          waited && `waited ${duration(waited.to - waited.from)}`,
          ran && ranMs !== undefined && `ran ${duration(ranMs)}`,
          call.errorCode,
        ]
  return (
    <div className="mb-3 flex items-start gap-3 text-small">
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span className="font-semibold">
          <Verbatim text={labelOf(call)} />
        </span>{' '}
        <span className="text-muted">{parts.filter(Boolean).join(', ')}</span>
      </p>
      <Button small onClick={() => inspector.tab.set('call')}>
        Open call
      </Button>
    </div>
  )
}
