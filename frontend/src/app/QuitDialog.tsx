import { useEffect, useState } from 'react'
import type { Closing } from '../transport/transport'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { counted } from '../ui/format'

/** Asks before the window closes over live runs. */
export function QuitDialog({ closing }: { closing: Closing | undefined }) {
  const [runs, setRuns] = useState<number>()
  useEffect(() => closing?.onAsked(setRuns), [closing])
  const cancel = () => setRuns(undefined)
  const stop = `Stop ${counted(runs ?? 0, 'run')} and quit`
  return (
    <Dialog
      open={runs !== undefined}
      onClose={cancel}
      title={`${stop}?`}
      footer={
        <>
          <Button tone="ghost" onClick={cancel}>
            Cancel
          </Button>
          <Button tone="primary" onClick={() => closing?.quit()}>
            {stop}
          </Button>
        </>
      }
    >
      <p className="text-muted">
        {runs === 1 ? 'It is' : 'They are'} at work and would be cancelled. What waits for you stays.
      </p>
    </Dialog>
  )
}
