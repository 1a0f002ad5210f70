import { Suspense } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { lazily } from '../../ui/lazily'
import { useFileDrop } from './useFileDrop'

const ExportDialog = lazily(async () => (await import('./ExportDialog')).ExportDialog)
const ImportDialog = lazily(async () => (await import('./ImportDialog')).ImportDialog)

/** What sends a thread out or takes one in, while it is asked for; a file that is dropped on the window is taken. */
export function ShareDialog() {
  const app = useApp()
  const share = useCell(app.share)
  useFileDrop((file) => app.share.set({ kind: 'import', file }))
  const close = () => app.share.set(undefined)
  return (
    <Suspense>
      {share?.kind === 'export' && <ExportDialog threadId={share.threadId} title={share.title} onClose={close} />}
      {share?.kind === 'import' && <ImportDialog file={share.file} onClose={close} />}
    </Suspense>
  )
}
