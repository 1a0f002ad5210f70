import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { Button } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Dialog } from '../../ui/Dialog'

/** Which Callboard this is, and what to send along with a report: nothing of threads, keys, addresses or folders. */
export default function AboutDialog({ onClose }: { onClose: () => void }) {
  const app = useApp()
  const version = useCell(app.studio.cell).state?.version ?? 'of an unknown version'
  const diagnostics = [
    `Callboard ${version}`,
    `Shown in: ${app.transport.host.closing ? 'its window' : 'a browser'}, ${navigator.userAgent}`,
    `Page: ${innerWidth} x ${innerHeight}, ${devicePixelRatio} device pixels each, ${document.documentElement.dataset.theme} theme`,
    `Connection: ${useCell(app.connection).state}`,
  ].join('\n')
  return (
    <Dialog
      open
      onClose={onClose}
      title="About Callboard"
      footer={<Button onClick={() => void copy(diagnostics, 'What to report')}>Copy for a report</Button>}
    >
      <div className="flex items-center gap-4">
        <img src="/icon.svg" alt="" className="size-12" />
        <div>
          <p className="text-title font-semibold">Callboard {version}</p>
          <p className="text-muted">A studio for agents that call tools</p>
        </div>
      </div>
      <pre className="mt-4 overflow-x-auto rounded-block border border-border bg-bg p-3 text-code break-spaces">
        {diagnostics}
      </pre>
      <p className="pt-3 text-small text-muted">© 2026 The Callboard authors. MIT licence.</p>
    </Dialog>
  )
}
