import { isJsonError, members, parseJson } from '../../protocol/json'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { serverOf } from '../../transport/attached'
import { Button } from '../../ui/Button'
import type { Asked } from './asked'
import type { Deciding } from './decide'

export type Form = 'none' | 'edit' | 'deny' | 'result' | 'rule'

interface Props {
  asked: Asked
  deciding: Deciding
  /** The end of the arguments was not on the screen yet. */
  unseen: boolean
  /** Another decision was made just now. */
  resting: boolean
  onApprove: () => void
  onDeny: () => void
  onForm: (form: Form) => void
}

/** What can be decided of a call that waits. */
export function DecisionButtons({ asked, deciding, unseen, resting, onApprove, onDeny, onForm }: Props) {
  const { busy, error, disabledBecause, expired } = deciding
  const closed = disabledBecause !== undefined || asked.approvalId === undefined || busy
  const held = closed || expired || unseen || resting
  const unknown = asked.approval.kind === 'unknown'
  const key = useCell(useApp().commands.singleKeys) ? (of: string) => of : () => undefined
  const note = disabledBecause ?? (expired ? 'The time to decide is over.' : error)
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" shortcut={key('A')} busy={busy} disabled={held} onClick={onApprove}>
          {unknown ? 'Run again' : 'Approve'}
        </Button>
        {unknown ? (
          <Button disabled={closed || expired} onClick={() => onForm('result')}>
            Mark as done…
          </Button>
        ) : (
          <Button shortcut={key('E')} disabled={closed || expired} onClick={() => onForm('edit')}>
            Edit arguments
          </Button>
        )}
        <Button tone="danger" shortcut={key('D')} disabled={closed} onClick={onDeny}>
          {expired ? 'Go on without it' : unknown ? 'Give up…' : 'Deny…'}
        </Button>
        {!unknown && !expired && !serverOf(asked.agentName) && readable(asked.approval.argumentsText) && (
          <Button tone="ghost" disabled={held} onClick={() => onForm('rule')}>
            Always allow…
          </Button>
        )}
      </div>
      {note ? (
        <p role={error ? 'alert' : undefined} className="mt-2 text-small text-err [overflow-wrap:anywhere]">
          {note}
        </p>
      ) : (
        unseen && (
          <p className="mt-2 text-small text-muted">
            Scroll to the end of the arguments to approve what you have seen.
          </p>
        )
      )}
    </>
  )
}

/** Whether a rule could read the arguments: it matches nothing of what the tool would refuse to read. */
function readable(argumentsText: string): boolean {
  const root = parseJson(argumentsText.trim() || '{}')
  if (isJsonError(root) || root.kind !== 'object') return false
  return !members(root).some((member) => member.duplicate || member.caseVariant)
}
