import type { CutPlace } from '../../state/cutPlace'
import { counted } from '../../ui/format'

/** A line above the first row the newest request sent: what stands above it the model did not read. */
export function CutLine({ place: { inside, cut, kept } }: { place: CutPlace }) {
  const where = inside ? 'The history was cut between these calls' : 'The history was cut here'
  const but = kept ? ', but for the message it answers' : ''
  return (
    <p
      data-cut
      className="flex items-center gap-3 pt-3 pb-1 text-small text-muted before:h-px before:min-w-4 before:flex-1 before:bg-faint/40 after:h-px after:min-w-4 after:flex-1 after:bg-faint/40"
    >
      <span className="text-center [text-wrap:balance]">
        {where}: the newest request did not send the {counted(cut.messages, 'message')} above{but}.
      </span>
    </p>
  )
}
