import { useCallback, useEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { toast } from '../../ui/toasts'
import { importedWords } from './words'

interface Props {
  /** What was dropped on the window; without it the person is asked for a file. */
  file?: File
  onClose: () => void
}

type Step =
  | { kind: 'choose'; fault?: string }
  | { kind: 'busy'; file: File }
  | { kind: 'here'; file: File; threadId: string }

/** Takes a thread from a file. Nothing of it runs. */
export function ImportDialog({ file: dropped, onClose }: Props) {
  const app = useApp()
  const input = useRef<HTMLInputElement>(null)
  const taken = useRef<File>(undefined)
  const [step, setStep] = useState<Step>(dropped ? { kind: 'busy', file: dropped } : { kind: 'choose' })
  const show = useCallback(
    (threadId: string) => {
      onClose()
      app.router.go({ kind: 'thread', threadId })
    },
    [app, onClose],
  )
  const take = useCallback(
    async (file: File, asCopy = false) => {
      setStep({ kind: 'busy', file })
      try {
        const outcome = await app.api.importThread(file, asCopy)
        if (outcome.kind === 'here') return setStep({ kind: 'here', file, threadId: outcome.threadId })
        void app.threads.refresh()
        toast(importedWords(outcome))
        show(outcome.threadId)
      } catch (cause) {
        setStep({ kind: 'choose', fault: `${file.name} was not imported: ${messageOf(cause)}` })
      }
    },
    [app, show],
  )
  useEffect(() => {
    if (!dropped || taken.current === dropped) return
    taken.current = dropped
    void take(dropped)
  }, [dropped, take])
  const busy = step.kind === 'busy'
  const choose = () => input.current?.click()
  return (
    <Dialog
      open
      onClose={onClose}
      title="Import a thread"
      footer={
        step.kind === 'here' ? (
          <>
            <Button tone="ghost" onClick={onClose}>
              Cancel
            </Button>
            <Button onClick={() => void take(step.file, true)}>Import a copy</Button>
            <Button tone="primary" autoFocus onClick={() => show(step.threadId)}>
              Open it
            </Button>
          </>
        ) : (
          <>
            <Button tone="ghost" onClick={onClose}>
              Cancel
            </Button>
            <Button key={step.kind} tone="primary" busy={busy} autoFocus onClick={choose}>
              {busy ? 'Importing…' : 'Choose a file…'}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {step.kind === 'choose' && step.fault && (
          <Notice tone="err" role="alert">
            {step.fault}
          </Notice>
        )}
        {step.kind === 'here' ? (
          <p role="status" className="[overflow-wrap:anywhere]">
            The thread of {step.file.name} is here already. A copy stands beside it and has ids of its own.
          </p>
        ) : (
          <p className="text-muted [overflow-wrap:anywhere]">
            {busy
              ? `Reading ${step.file.name}…`
              : 'A thread’s file ends in .callboard. It can also be dropped on the window.'}
          </p>
        )}
        <p className="text-small text-muted">
          Nothing of an imported thread runs. What waits in it for an approval, or is at work, is cancelled here.
        </p>
        <input
          ref={input}
          type="file"
          accept=".callboard"
          aria-label="The thread’s file"
          className="hidden"
          tabIndex={-1}
          onChange={(event) => {
            const [file] = event.target.files ?? []
            event.target.value = ''
            if (file) void take(file)
          }}
        />
      </div>
    </Dialog>
  )
}
