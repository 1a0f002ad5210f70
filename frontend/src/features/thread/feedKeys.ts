import type { KeyboardEvent } from 'react'
import { type CommandId, listKeys, stroke } from '../../state/keyTable'

/** The command of a key press in a list, or undefined when it belongs to the page or to a control in a row. */
export function feedCommand(event: KeyboardEvent, singleKeys: boolean): CommandId | undefined {
  const { target, nativeEvent } = event
  if (event.ctrlKey || event.metaKey || event.altKey || nativeEvent.isComposing) return undefined
  if (!(target instanceof HTMLElement) || (!singleKeys && event.key.length === 1)) return undefined
  const onRow = target.getAttribute('role') === 'article'
  if (!onRow && target.closest('input, textarea, select, [contenteditable="true"]')) return undefined
  if (!onRow && (event.key === 'Enter' || event.key === ' ')) return undefined
  return listKeys.get(stroke({ ...plain, key: event.key }))
}

const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
