import { useEffect, useRef } from 'react'
import { dialogOpen } from '../../ui/overlay'
import { toast } from '../../ui/toasts'

/** Takes the thread files that are dropped anywhere on the window. Other files are not opened in its place either. */
export function useFileDrop(take: (file: File) => void): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? []
      if (!file) return
      event.preventDefault()
      if (dialogOpen()) return
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
