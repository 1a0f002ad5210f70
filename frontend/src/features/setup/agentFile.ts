import type { App } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import { toast } from '../../ui/toasts'

/** Larger than any agent can be, in bytes. */
const most = 900_000

/** Asks for the file of an agent, and shows what an import of it would do. */
export function pickAgentFile(app: App): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.json,application/json'
  input.hidden = true
  document.body.append(input) // some browsers forget one that is nowhere
  input.addEventListener('cancel', () => input.remove())
  input.addEventListener('change', () => {
    input.remove()
    const [file] = input.files ?? []
    if (!file) return
    if (file.size > most) {
      toast(`${file.name} is too large to be an agent’s file`, 'err')
      return
    }
    file.text().then(
      (text) => app.setUp.set({ kind: 'agentImport', file: text }),
      (cause: unknown) => toast(`${file.name} was not read: ${messageOf(cause)}`, 'err'),
    )
  })
  input.click()
}
