import { useCallback, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { ExportChoice, ShareFormat } from '../../transport/share'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { toast } from '../../ui/toasts'
import { useSave } from '../details/useSave'
import { useAnswer } from '../inspector/useAnswer'
import { Check, Format } from './controls'
import { Findings } from './Findings'
import { Words } from './Words'
import { countOf } from './words'

interface Props {
  threadId: string
  title: string
  onClose: () => void
}

/** Writes a thread to a file: as it is, or without what looks like a secret, each of which is shown before. */
export function ExportDialog({ threadId, title, onClose }: Props) {
  const app = useApp()
  const save = useSave()
  const [format, setFormat] = useState<ShareFormat>('callboard')
  const [redact, setRedact] = useState(false)
  const [images, setImages] = useState(false)
  const [words, setWords] = useState<string[]>([])
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const choice: ExportChoice = { format, redact, images, words, leave: [...left] }
  const look = useCallback(
    async (signal: AbortSignal) => {
      if (!redact) return undefined
      return app.api.exportPreview(threadId, { format: 'callboard', redact, images: false, words, leave: [] }, signal)
    },
    [app, threadId, redact, words],
  )
  const preview = useAnswer('preview', look)
  const leave = (ids: readonly string[], stays: boolean) => {
    const next = new Set(left)
    for (const id of ids) {
      if (stays) next.add(id)
      else next.delete(id)
    }
    setLeft(next)
  }
  const write = async () => {
    setBusy(true)
    setFault(undefined)
    try {
      const { name, content } = await app.api.exportThread(threadId, choice)
      const type = format === 'markdown' ? 'text/markdown' : 'application/x-ndjson'
      if (!(await save(name, new Blob([content], { type })))) return setBusy(false)
      toast(`Saved as ${name}`)
      onClose()
    } catch (cause) {
      setFault(`The thread was not exported: ${messageOf(cause)}`)
      setBusy(false)
    }
  }
  const waits = redact && (preview.busy || preview.value === undefined)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Export “${title}”`}
      footer={
        <>
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" busy={busy} disabled={waits} onClick={() => void write()}>
            Export
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {fault && (
          <Notice tone="err" role="alert">
            {fault}
          </Notice>
        )}
        <Format value={format} onChange={setFormat} />
        <Check
          label="Mask secrets"
          note="Keys, tokens, passwords, and words of your own. Keys of this program are masked in any case."
          on={redact}
          onChange={setRedact}
        />
        {redact && (
          <>
            <Words words={words} onChange={setWords} />
            {preview.value !== undefined && preview.value.images > 0 && format === 'callboard' && (
              <Check
                label={`Include ${countOf(preview.value.images, 'image')}`}
                note="Nothing looks through images. They are left out otherwise."
                on={images}
                onChange={setImages}
              />
            )}
            {preview.fault !== undefined && (
              <Notice
                tone="err"
                actions={
                  <Button small onClick={preview.again}>
                    Try again
                  </Button>
                }
              >
                {preview.fault}
              </Notice>
            )}
            <p role="status" className="flex items-center gap-2 text-small text-muted">
              {preview.busy && <Spinner size={14} />}
              {waits ? 'Looking for secrets…' : summary(preview.value?.findings ?? [], left)}
            </p>
            {preview.value && <Findings findings={preview.value.findings} left={left} onLeave={leave} />}
          </>
        )}
      </div>
    </Dialog>
  )
}

function summary(findings: readonly { id: string; fixed: boolean }[], left: ReadonlySet<string>): string {
  if (findings.length === 0) return 'Nothing was found that looks like a secret.'
  const stays = findings.filter(({ id, fixed }) => !fixed && left.has(id)).length
  const masked = `${countOf(findings.length - stays, 'secret')} ${findings.length - stays === 1 ? 'is' : 'are'} masked`
  return `${masked}${stays > 0 ? `, ${stays} left in` : ''}. What models answered byte for byte is left out.`
}
