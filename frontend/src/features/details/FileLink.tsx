import { useContext, useState } from 'react'
import { languageOfPath } from '../../highlight/languages'
import { escapeInvisible } from '../../protocol/text'
import { AppContext } from '../../state/app'
import { ThreadContext } from '../../state/useThread'
import type { FileText } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { Button } from '../../ui/Button'
import { copy } from '../../ui/clipboard'
import { Dialog } from '../../ui/Dialog'
import { size } from '../../ui/format'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { Verbatim } from '../../ui/Verbatim'
import { Code } from './CodeBlock'

interface Props {
  path: string
  /** From 1. */
  line?: number
}

type Content = { file: FileText } | { fault: string } | undefined

/** A place in a file of the thread's folder, as "path:line". */
export function placeOf({ path, line }: Props): string {
  return line === undefined ? path : `${path}:${line}`
}

/** A link to a file of the thread's folder: it opens in a panel, as it is now. */
export function FileLink(props: Props) {
  const app = useContext(AppContext)
  const threadId = useContext(ThreadContext)?.threadId
  const [open, setOpen] = useState(false)
  const [content, setContent] = useState<Content>()
  const place = placeOf(props)
  if (!app || threadId === undefined) return <Verbatim text={place} />
  const show = () => {
    setOpen(true)
    setContent(undefined)
    app.api.file(threadId, props.path).then(
      (file) => setContent({ file }),
      (cause: unknown) => setContent({ fault: messageOf(cause) }),
    )
  }
  return (
    <>
      <button
        type="button"
        className="max-w-full truncate font-mono text-code text-accent underline underline-offset-2"
        title={`Open ${escapeInvisible(place)}`}
        onClick={show}
      >
        <Verbatim text={place} />
      </button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={escapeInvisible(place)}
        wide
        footer={
          <>
            <Button tone="ghost" onClick={() => void copy(place, 'The path')}>
              Copy path
            </Button>
            {content && 'file' in content && (
              <Button onClick={() => void copy(content.file.text, 'The file')}>Copy file</Button>
            )}
          </>
        }
      >
        <Shown content={content} {...props} />
      </Dialog>
    </>
  )
}

function Shown({ content, path, line }: Props & { content: Content }) {
  if (!content) {
    return (
      <p className="flex items-center gap-2 text-muted">
        <Spinner /> Reading the file…
      </p>
    )
  }
  if ('fault' in content) return <Notice tone="err">{content.fault}</Notice>
  const { text, bytes, cut } = content.file
  return (
    <>
      {cut && <Notice tone="wait">{`Only the beginning of ${size(bytes)} is shown.`}</Notice>}
      {text === '' ? (
        <p className="text-muted">The file is empty.</p>
      ) : (
        <Code text={text} language={languageOfPath(path)} from={1} marked={line} full />
      )}
    </>
  )
}
