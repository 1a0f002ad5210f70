import { type ReactNode, Suspense, useState } from 'react'
import { useApp } from '../../state/app'
import { lazily } from '../../ui/lazily'

const FolderDialog = lazily(async () => (await import('./FolderDialog')).FolderDialog)

interface Asking {
  start: string
  answer: (path: string) => void
}

/**
 * Asks for a folder: in the system's own dialog where there is one, else in one of the page's. It begins in the one that is given,
 * else in the one that was chosen last. An empty path is no answer.
 */
export function useFolderPicker(): [ReactNode, (start: string) => Promise<string>] {
  const { studio, transport } = useApp()
  const [asking, setAsking] = useState<Asking>()
  const pick = async (given: string): Promise<string> => {
    const start = given || (studio.cell.get().state?.lastFolder ?? '')
    const path = await (transport.host.pickFolder?.(start) ??
      new Promise<string>((answer) => setAsking({ start, answer })))
    if (path) studio.chose(path)
    return path
  }
  const close = (path = '') => {
    asking?.answer(path)
    setAsking(undefined)
  }
  const dialog = asking && (
    <Suspense>
      <FolderDialog start={asking.start} onClose={close} />
    </Suspense>
  )
  return [dialog, pick]
}
