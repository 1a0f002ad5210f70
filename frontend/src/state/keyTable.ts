/**
 * Where the keys of a command act: anywhere in the window; on a list of rows that has the focus, where a single letter can be
 * switched off; or on a control that takes them itself.
 */
export type Place = 'window' | 'list' | 'control'

export const groups = ['Window', 'Thread', 'Rows', 'Decisions', 'Playback', 'Message', 'Tools'] as const
export type Group = (typeof groups)[number]

interface Line {
  id: string
  name: string
  group: Group
  /** Ctrl is Cmd on a Mac. */
  keys: readonly string[]
  place: Place
  /** One more key, on a list that has the focus. */
  onList?: string
}

/** Every command and every key of the window: the palette, the shortcuts and the help show and follow this one list. */
export const keyTable = [
  { id: 'palette', name: 'Search threads and commands', group: 'Window', keys: ['Ctrl+K'], place: 'window' },
  { id: 'search', name: 'Search all threads', group: 'Window', keys: ['Ctrl+Shift+F'], place: 'window' },
  { id: 'menu', name: 'Menu', group: 'Window', keys: ['F10'], place: 'window' },
  { id: 'new-thread', name: 'New thread', group: 'Window', keys: ['Ctrl+Shift+O'], place: 'window' },
  { id: 'open-demo', name: 'Open demo', group: 'Window', keys: [], place: 'window' },
  { id: 'tools', name: 'Tools', group: 'Window', keys: [], place: 'window' },
  { id: 'inbox', name: 'Show what waits for you', group: 'Window', keys: ['Ctrl+J'], place: 'window' },
  { id: 'threads', name: 'Show or hide the threads', group: 'Window', keys: ['Ctrl+B'], place: 'window' },
  { id: 'inspector', name: 'Show or hide the run inspector', group: 'Window', keys: ['Ctrl+I'], place: 'window' },
  { id: 'settings', name: 'Settings', group: 'Window', keys: ['Ctrl+,'], place: 'window' },
  { id: 'import', name: 'Import a thread…', group: 'Window', keys: [], place: 'window' },
  { id: 'connect', name: 'Connect a model', group: 'Window', keys: [], place: 'window' },
  { id: 'attach', name: 'Attach a server', group: 'Window', keys: [], place: 'window' },
  { id: 'make-agent', name: 'Make an agent', group: 'Window', keys: [], place: 'window' },
  { id: 'import-agent', name: 'Import an agent', group: 'Window', keys: [], place: 'window' },
  { id: 'add-mcp', name: 'Add an MCP server', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-agents', name: 'Settings: Agents', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-models', name: 'Settings: Models', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-toolsets', name: 'Settings: Tool sets', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-mcp', name: 'Settings: MCP servers', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-attached', name: 'Settings: Attached servers', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-sandbox', name: 'Settings: Sandbox', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-schedules', name: 'Settings: Schedules', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-notes', name: 'Settings: Notes', group: 'Window', keys: [], place: 'window' },
  { id: 'settings-rules', name: 'Settings: Rules', group: 'Window', keys: [], place: 'window' },
  { id: 'theme-light', name: 'Light theme', group: 'Window', keys: [], place: 'window' },
  { id: 'theme-dark', name: 'Dark theme', group: 'Window', keys: [], place: 'window' },
  { id: 'theme-system', name: 'Theme as the system', group: 'Window', keys: [], place: 'window' },
  { id: 'zoom-in', name: 'Zoom in', group: 'Window', keys: ['Ctrl++', 'Ctrl+='], place: 'window' },
  { id: 'zoom-out', name: 'Zoom out', group: 'Window', keys: ['Ctrl+-'], place: 'window' },
  { id: 'zoom-reset', name: 'Usual size', group: 'Window', keys: ['Ctrl+0'], place: 'window' },
  { id: 'quit', name: 'Quit', group: 'Window', keys: ['Ctrl+Q'], place: 'window' },
  { id: 'keyboard', name: 'Keyboard', group: 'Window', keys: ['Ctrl+/'], place: 'window', onList: '?' },
  { id: 'readme', name: 'README', group: 'Window', keys: [], place: 'window' },
  { id: 'licences', name: 'Licences', group: 'Window', keys: [], place: 'window' },
  { id: 'about', name: 'About Callboard', group: 'Window', keys: [], place: 'window' },

  { id: 'find', name: 'Find in thread', group: 'Thread', keys: ['Ctrl+F'], place: 'window' },
  { id: 'find-next', name: 'Next match', group: 'Thread', keys: ['F3', 'Ctrl+G'], place: 'window' },
  { id: 'find-previous', name: 'Match before', group: 'Thread', keys: ['Shift+F3', 'Ctrl+Shift+G'], place: 'window' },
  { id: 'rename', name: 'Rename thread', group: 'Thread', keys: ['F2'], place: 'window' },
  { id: 'copy-text', name: 'Copy thread as text', group: 'Thread', keys: [], place: 'window' },
  { id: 'copy-json', name: 'Copy thread as JSON', group: 'Thread', keys: [], place: 'window' },
  { id: 'copy-link', name: 'Copy link', group: 'Thread', keys: [], place: 'window' },
  { id: 'export', name: 'Export thread…', group: 'Thread', keys: [], place: 'window' },
  { id: 'delete', name: 'Delete thread', group: 'Thread', keys: [], place: 'window' },
  { id: 'stop', name: 'Stop the run', group: 'Thread', keys: ['Esc Esc'], place: 'control' },
  { id: 'playback', name: 'Play back, or back to live', group: 'Thread', keys: ['P'], place: 'list' },
  { id: 'history', name: 'What the next request will send', group: 'Thread', keys: ['H'], place: 'list' },

  { id: 'row-next', name: 'Next row', group: 'Rows', keys: ['ArrowDown', 'J'], place: 'list' },
  { id: 'row-previous', name: 'Row before', group: 'Rows', keys: ['ArrowUp', 'K'], place: 'list' },
  { id: 'screen-next', name: 'A screen down', group: 'Rows', keys: ['PageDown'], place: 'list' },
  { id: 'screen-previous', name: 'A screen up', group: 'Rows', keys: ['PageUp'], place: 'list' },
  { id: 'first', name: 'First row', group: 'Rows', keys: ['Home'], place: 'list' },
  { id: 'last', name: 'Last row', group: 'Rows', keys: ['End'], place: 'list' },
  { id: 'open', name: 'Open the row', group: 'Rows', keys: ['ArrowRight', 'Enter'], place: 'list' },
  { id: 'close', name: 'Close the row', group: 'Rows', keys: ['ArrowLeft'], place: 'list' },
  { id: 'follow', name: 'Follow the end of the thread', group: 'Rows', keys: ['F'], place: 'list' },
  { id: 'copy-row', name: 'Copy the row as text', group: 'Rows', keys: ['C'], place: 'list' },
  { id: 'moment', name: 'Play back to the row', group: 'Rows', keys: ['M'], place: 'list' },

  { id: 'next-approval', name: 'Next call that waits', group: 'Decisions', keys: ['.'], place: 'list' },
  { id: 'approve', name: 'Approve the row', group: 'Decisions', keys: ['A'], place: 'list' },
  { id: 'edit', name: 'Edit the arguments of the row', group: 'Decisions', keys: ['E'], place: 'list' },
  { id: 'deny', name: 'Deny the row', group: 'Decisions', keys: ['D'], place: 'list' },
  { id: 'go-to-thread', name: 'From the inbox to its thread', group: 'Decisions', keys: ['G'], place: 'list' },

  { id: 'play', name: 'Play or pause', group: 'Playback', keys: ['Space'], place: 'control' },
  { id: 'event', name: 'One event back or on', group: 'Playback', keys: ['ArrowLeft', 'ArrowRight'], place: 'control' },
  {
    id: 'event-100',
    name: '100 events back or on',
    group: 'Playback',
    keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'],
    place: 'control',
  },
  { id: 'event-end', name: 'First or last event', group: 'Playback', keys: ['Home', 'End'], place: 'control' },

  { id: 'send', name: 'Send the message', group: 'Message', keys: ['Enter'], place: 'control' },
  { id: 'line', name: 'New line in the message', group: 'Message', keys: ['Shift+Enter'], place: 'control' },

  { id: 'run-tool', name: 'Run the tool', group: 'Tools', keys: ['Ctrl+Enter'], place: 'window' },
] as const satisfies readonly Line[]

export type CommandId = (typeof keyTable)[number]['id']

/** A line of the table, whichever it is. */
export interface Command extends Line {
  id: CommandId
}

export const commandTable: readonly Command[] = keyTable

/** The commands of the keys that act anywhere. */
export const windowKeys = strokesOf('window')
/** The commands of the keys that act on a list that has the focus. */
export const listKeys = strokesOf('list')

function strokesOf(place: Place): ReadonlyMap<string, CommandId> {
  const all = new Map<string, CommandId>()
  for (const { id, keys, place: acts, onList } of commandTable) {
    if (acts === place) for (const key of keys) all.set(normal(key), id)
    if (place === 'list' && onList) all.set(onList, id)
  }
  return all
}

/** A key of the table as a press is written. */
export function normal(key: string): string {
  return key.replace(/[A-Z]$/, (letter) => letter.toLowerCase())
}

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** A key press as the table writes it. Shift counts with letters and named keys: of a sign it is part already. */
export function stroke({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string {
  const lower = key.length === 1 ? key.toLowerCase() : key
  const shift = shiftKey && (key.length > 1 || lower !== key.toUpperCase())
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${lower}`
}

const drawn: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' }

/** A key of the table as it is shown: "Ctrl K", "Shift ←". */
export function keyWords(key: string): string {
  return key
    .split(/\+(?!$)/) // a plus at the end is the key itself
    .map((part) => drawn[part] ?? part)
    .join(' ')
}
