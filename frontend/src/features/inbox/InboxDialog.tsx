import { useEffect } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { useCommand } from '../../state/useCommand'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { ApproveAll } from './ApproveAll'
import { InboxList } from './InboxList'

/** Every call that waits for a person, in all threads, each with its decision. Ctrl J opens and closes it. */
export function InboxDialog() {
  const app = useApp()
  const open = useCell(app.inboxOpen)
  const { phase, fault, approvals } = useCell(app.inbox.state)
  useCommand('inbox', () => app.inboxOpen.update((shown) => !shown), { inDialog: open })
  useEffect(() => {
    if (open) void app.inbox.refresh()
  }, [app, open])
  if (!open) return null
  const close = () => app.inboxOpen.set(false)
  return (
    <Dialog open onClose={close} title="Waiting for you" wide>
      <div className="flex flex-col gap-3">
        {fault && (
          <Notice
            tone="err"
            actions={
              <Button small onClick={() => void app.inbox.refresh()}>
                Try again
              </Button>
            }
          >
            {fault}
          </Notice>
        )}
        {approvals.length === 0 && phase !== 'failed' && (
          <p className="py-8 text-center text-muted">
            {phase === 'loading' ? 'Looking at what waits…' : 'Nothing waits for you.'}
          </p>
        )}
        {approvals.length > 1 && <ApproveAll approvals={approvals} />}
        <InboxList approvals={approvals} onLeave={close} />
      </div>
    </Dialog>
  )
}
