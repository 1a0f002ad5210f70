import type { Notifying } from './transport'

/** The notifications of a browser, or undefined where it has none. */
export function browserNotifying(): Notifying | undefined {
  if (!('Notification' in globalThis)) return undefined
  return {
    onAtFirst: false,
    permission: () => Notification.permission,
    ask: async () => {
      await Notification.requestPermission()
    },
    show({ title, body, tag, onClick }) {
      // The tag keeps two windows of one Studio from saying the same thing twice.
      const shown = new Notification(title, { body, tag, icon: '/icon.svg' })
      shown.onclick = () => {
        window.focus()
        shown.close()
        onClick()
      }
    },
  }
}
