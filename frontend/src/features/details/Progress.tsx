import { count } from '../../ui/format'

interface Props {
  done: number
  total?: number
  unit?: string
}

/** How far something is; a bar only when the whole is known, and never more than whole. */
export function Progress({ done, total, unit }: Props) {
  const whole = total !== undefined && total > 0
  const share = whole ? Math.min(1, Math.max(0, done / total)) : 0
  const amount = `${count(done)}${whole ? ` of ${count(total)}` : ''}${unit ? ` ${unit}` : ''}`
  return (
    <div className="flex items-center gap-3 px-3 py-2 text-small">
      {whole && (
        <div
          role="progressbar"
          aria-label="Progress"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={amount}
          className="h-1 flex-1 overflow-hidden rounded-full bg-raised"
        >
          <div className="h-full bg-run" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <span className="tnum text-muted">{whole && !unit ? `${Math.round(share * 100)} %` : amount}</span>
    </div>
  )
}
