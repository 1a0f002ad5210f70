import { toast } from './toasts'

/** Copies text and says so; where the page may not, says that. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await write(text)
    toast(`${what} copied`)
  } catch {
    toast(`${what} could not be copied: the browser does not allow it here.`, 'err')
  }
}

async function write(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Without a secure origin there is no clipboard object; a copy event still works after a click.
  let taken = false
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    taken = true
  }
  document.addEventListener('copy', fill, { once: true })
  document.execCommand('copy')
  document.removeEventListener('copy', fill)
  if (!taken) throw new Error('no copy event came')
}
