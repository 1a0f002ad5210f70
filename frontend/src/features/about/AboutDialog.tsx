import { Suspense, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Dialog } from '../../ui/Dialog'
import { lazily } from '../../ui/lazily'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'

const LicencesDialog = lazily(async () => (await import('./LicencesDialog')).default)

/** Which Callboard this is, where it keeps what, and what to send along with a report: nothing of threads, keys, addresses or folders. */
export default function AboutDialog({ onClose }: { onClose: () => void }) {
  const app = useApp()
  const [licences, setLicences] = useState(false)
  const { version = 'of an unknown version', revision, dataFolder } = useCell(app.studio.cell).state ?? {}
  const { closing, openDataFolder } = app.transport.host
  const diagnostics = [
    `Callboard ${version}${revision ? ` (${revision})` : ''}`,
    `Shown in: ${closing ? 'its window' : 'a browser'}, ${navigator.userAgent}`,
    `Page: ${innerWidth} x ${innerHeight}, ${devicePixelRatio} device pixels each, ${document.documentElement.dataset.theme} theme`,
    `Connection: ${useCell(app.connection).state}`,
  ].join('\n')
  return (
    <Dialog
      open
      onClose={onClose}
      title="About Callboard"
      footer={
        <>
          <Button onClick={() => setLicences(true)}>Licences</Button>
          <Button onClick={() => void copy(diagnostics, 'What to report')}>Copy for a report</Button>
        </>
      }
    >
      <div className="flex items-center gap-4">
        <img src="/icon.svg" alt="" className="size-12" />
        <div className="min-w-0">
          <p className="text-title font-semibold">Callboard {version}</p>
          <p className="text-muted">A studio for agents that call tools</p>
          {revision && <p className="text-small text-faint">Built from {revision}</p>}
        </div>
      </div>
      {dataFolder && (
        <section aria-label="Data folder" className="mt-4">
          <h3 className="text-small font-medium text-muted">
            {closing
              ? 'Threads and settings are in'
              : 'Threads and settings are, on the machine that serves this page, in'}
          </h3>
          <div className="mt-1 flex flex-wrap items-center gap-2">
            <code className="min-w-0 flex-1 basis-64 font-mono text-code [overflow-wrap:anywhere]">
              <Verbatim text={dataFolder} />
            </code>
            {openDataFolder && (
              <Button
                small
                onClick={() => openDataFolder().catch((cause: unknown) => toast(`${messageOf(cause)}.`, 'err'))}
              >
                Open
              </Button>
            )}
            <Button small onClick={() => void copy(dataFolder, 'The path of the data folder')}>
              Copy path
            </Button>
          </div>
        </section>
      )}
      <pre className="mt-4 overflow-x-auto rounded-block border border-border bg-bg p-3 text-code break-spaces">
        {diagnostics}
      </pre>
      <p className="pt-3 text-small text-muted">© 2026 The Callboard authors. MIT licence.</p>
      <Suspense>{licences && <LicencesDialog onClose={() => setLicences(false)} />}</Suspense>
    </Dialog>
  )
}
