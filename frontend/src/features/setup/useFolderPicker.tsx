import { type ReactNode, useState } from 'react'
import { useApp } from '../../state/app'
import { FolderDialog } from './FolderDialog'

interface Asking {
  start: string
  answer: (path: string) => void
}

/** Asks for a folder: in the system's own dialog where there is one, else in one of the page's. An empty path is no answer. */
export function useFolderPicker(): [ReactNode, (start: string) => Promise<string>] {
  const { host } = useApp().transport
  const [asking, setAsking] = useState<Asking>()
  const pick = (start: string): Promise<string> => {
    if (host.pickFolder) return host.pickFolder()
    return new Promise((answer) => setAsking({ start, answer }))
  }
  const close = (path: string) => {
    asking?.answer(path)
    setAsking(undefined)
  }
  return [asking && <FolderDialog start={asking.start} onClose={close} />, pick]
}
