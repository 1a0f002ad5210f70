import { useEffect, useRef } from 'react'
import { dialogOpen } from '../../ui/overlay'
import { toast } from '../../ui/toasts'

/** Whether files are dragged. WebKitGTK tells a page only that there are addresses; those of a link come with its text. */
function bringsFiles({ dataTransfer }: DragEvent): boolean {
  const types = dataTransfer?.types ?? []
  return types.includes('Files') || (types.includes('text/uri-list') && !types.includes('text/plain'))
}

/**
 * Takes the thread files that are dropped anywhere on the window. Other files are not opened in its place either. Where the page is
 * given none, the window takes them itself.
 */
export function useFileDrop(take: (file: File) => void): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (bringsFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!bringsFiles(event)) return
      event.preventDefault()
      const [file] = event.dataTransfer?.files ?? []
      if (!file || dialogOpen()) return
      if (file.name.toLowerCase().endsWith('.callboard')) latest.current(file)
      else toast(`${file.name} is not a thread’s file: their names end in .callboard.`, 'err')
    }
    addEventListener('dragover', over)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('drop', drop)
    }
  }, [])
}
