import { Button } from '../ui/Button'
import { copy } from '../ui/clipboard'
import { Dialog } from '../ui/Dialog'
import { Verbatim } from '../ui/Verbatim'

interface Props {
  address: string | undefined
  onOpen: (address: string) => void
  onClose: () => void
}

/** Shows where a link leads before it is opened. */
export function LinkDialog({ address, onOpen, onClose }: Props) {
  return (
    <Dialog
      open={address !== undefined}
      onClose={onClose}
      title="Open this address?"
      footer={
        <>
          <Button tone="ghost" onClick={() => address && void copy(address, 'The address')}>
            Copy address
          </Button>
          <Button
            tone="primary"
            onClick={() => {
              if (address) onOpen(address)
              onClose()
            }}
          >
            Open
          </Button>
        </>
      }
    >
      <p className="font-mono text-code break-spaces">
        <Verbatim text={address ?? ''} />
      </p>
    </Dialog>
  )
}
