import type { Absence } from '../../state/absence'
import { useApp } from '../../state/app'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'

/** Says that nobody answers, and what helps. */
export function Absent({ absence: { text, server } }: { absence: Absence }) {
  const { setUp } = useApp()
  const attach = () =>
    setUp.set({ kind: 'attach', name: server, address: /:\d+$/.test(server ?? '') ? `http://${server}` : '' })
  return (
    <Notice
      tone="wait"
      actions={
        server && (
          <Button small onClick={attach}>
            Attach a server
          </Button>
        )
      }
    >
      {text}
    </Notice>
  )
}
