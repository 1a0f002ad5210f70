import { useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { toast } from '../../ui/toasts'

/** Switches the notification on and off that says, while nobody looks, that a call waits. */
export function NotificationControl() {
  const { notifications } = useApp()
  const state = useCell(notifications.state)
  const [busy, setBusy] = useState(false)
  const switchOn = async () => {
    setBusy(true)
    try {
      await notifications.switchOn()
    } catch (cause) {
      toast(messageOf(cause), 'err')
    }
    setBusy(false)
  }
  switch (state) {
    case 'absent':
      return <span className="text-small text-faint">This browser has none.</span>
    case 'blocked':
      return <span className="text-small text-faint">Blocked for this page, in the browser’s settings.</span>
    case 'on':
      return (
        <span className="flex items-center gap-2 text-small text-ok">
          on
          <Button small onClick={() => notifications.switchOff()}>
            Switch off
          </Button>
        </span>
      )
    case 'off':
      return (
        <span className="flex items-center gap-2 text-small text-faint">
          off
          <Button small busy={busy} onClick={() => void switchOn()}>
            Switch on
          </Button>
        </span>
      )
    default:
      state satisfies never
      return null
  }
}
