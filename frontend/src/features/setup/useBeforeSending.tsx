import type { ReactNode } from 'react'
import { useApp } from '../../state/app'
import { missingModel } from '../../state/models'
import type { ThreadChoice } from '../../transport/answers'
import { toast } from '../../ui/toasts'
import { useFolderPicker } from './useFolderPicker'

/** What a thread needs before a message can be sent in it. */
export interface Needs {
  choice: ThreadChoice
  /** Where its folder is, or was; empty when it has none. */
  folder: string
  folderMissing: boolean
}

/** What came of asking: the message can be sent, with a folder if one was chosen; or not yet. */
export type Ready = { send: true; folder?: string } | { send: false }

/** Asks for the model and the folder a thread lacks, so that its run does not fail for want of them. */
export function useBeforeSending(): [ReactNode, (needs: Needs) => Promise<Ready>] {
  const app = useApp()
  const [picker, pick] = useFolderPicker()
  const ask = async ({ choice, folder, folderMissing }: Needs): Promise<Ready> => {
    const { state } = app.studio.cell.get()
    const setUp = state && missingModel(state, choice)
    if (setUp) {
      app.setUp.set(setUp)
      toast(
        `The agent ${choice.agentName || state.settings.agentName} needs a model. Choose one, then send the message.`,
      )
      return { send: false }
    }
    if (!folderMissing) return { send: true }
    const chosen = await pick(folder)
    return chosen ? { send: true, folder: chosen } : { send: false }
  }
  return [picker, ask]
}
