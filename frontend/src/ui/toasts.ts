import { Toast } from '@base-ui/react/toast'

export const toasts = Toast.createToastManager<object>()

/** Shows a sentence for some seconds. */
export function toast(title: string, tone: 'plain' | 'err' = 'plain'): void {
  toasts.add({ title, type: tone, timeout: tone === 'err' ? 8000 : 4000, priority: tone === 'err' ? 'high' : 'low' })
}

/** Shows what was done, with a way back until it is really done after ms. */
export function undoable(title: string, ms: number, undo: () => void, done: () => void): void {
  let undone = false
  const id = toasts.add({
    title,
    timeout: ms,
    actionProps: {
      children: 'Undo',
      onClick: () => {
        undone = true
        toasts.close(id)
        undo()
      },
    },
    onClose: () => {
      if (!undone) done()
    },
  })
}
