import { toast } from './toasts'

/** Copies text, once it is there, and says so; where the page may not, or the text does not come, says that. */
export async function copy(given: string | Promise<string>, what: string): Promise<void> {
  let text = ''
  try {
    text = typeof given === 'string' ? given : await given
  } catch (cause) {
    toast(`${what} could not be copied: ${cause instanceof Error ? cause.message : String(cause)}`, 'err')
    return
  }
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
