import type { KeyboardEvent } from 'react'

/** What a key means in the list of rows. */
export type FeedCommand =
  | { kind: 'move'; by: number }
  | { kind: 'screen'; by: 1 | -1 }
  | {
      kind:
        | 'first'
        | 'last'
        | 'open'
        | 'close'
        | 'follow'
        | 'moment'
        | 'playback'
        | 'next-approval'
        | 'approve'
        | 'edit'
        | 'deny'
    }

/** The command of a key press, or undefined when it belongs to the page or to a control in a row. */
export function feedCommand(event: KeyboardEvent): FeedCommand | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return undefined
  const { target } = event
  if (!(target instanceof HTMLElement)) return undefined
  const onRow = target.getAttribute('role') === 'article'
  if (!onRow && target.closest('input, textarea, select, [contenteditable="true"]')) return undefined
  if (!onRow && (event.key === 'Enter' || event.key === ' ')) return undefined
  return commands.get(event.key.length === 1 ? event.key.toLowerCase() : event.key)
}

const commands = new Map<string, FeedCommand>([
  ['j', { kind: 'move', by: 1 }],
  ['ArrowDown', { kind: 'move', by: 1 }],
  ['k', { kind: 'move', by: -1 }],
  ['ArrowUp', { kind: 'move', by: -1 }],
  ['PageDown', { kind: 'screen', by: 1 }],
  ['PageUp', { kind: 'screen', by: -1 }],
  ['Home', { kind: 'first' }],
  ['End', { kind: 'last' }],
  ['ArrowRight', { kind: 'open' }],
  ['Enter', { kind: 'open' }],
  ['ArrowLeft', { kind: 'close' }],
  ['f', { kind: 'follow' }],
  ['m', { kind: 'moment' }],
  ['p', { kind: 'playback' }],
  ['.', { kind: 'next-approval' }],
  ['a', { kind: 'approve' }],
  ['e', { kind: 'edit' }],
  ['d', { kind: 'deny' }],
])
