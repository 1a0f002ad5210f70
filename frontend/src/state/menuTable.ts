import type { Commands } from './commands'
import { type CommandId, commandTable } from './keyTable'

interface Line {
  id: CommandId
  /** Why it cannot be done, where it cannot. */
  unless?: string
  /** It is a choice, and the one that stands cannot be chosen again. */
  choice?: boolean
}

const noThread = 'Open a thread first'
const noRow = 'No call waits for a decision here'

/** The menus of the window: each names commands of the one table, in parts. */
const menuTable: readonly { name: string; parts: readonly (readonly Line[])[] }[] = [
  {
    name: 'File',
    parts: [
      [
        { id: 'new-thread' },
        { id: 'open-demo', unless: 'Callboard was started with a model for every thread' },
        { id: 'import' },
      ],
      [
        { id: 'rename', unless: noThread },
        { id: 'copy-link', unless: noThread },
        { id: 'copy-text', unless: noThread },
        { id: 'copy-json', unless: noThread },
        { id: 'export', unless: noThread },
        { id: 'delete', unless: 'Open a thread whose run has ended first' },
      ],
      [{ id: 'connect' }, { id: 'attach' }, { id: 'settings' }],
      [{ id: 'quit', unless: 'The browser closes its windows' }],
    ],
  },
  {
    name: 'View',
    parts: [
      [{ id: 'palette' }, { id: 'search' }, { id: 'inbox' }, { id: 'tools' }],
      [{ id: 'threads' }, { id: 'inspector', unless: noThread }, { id: 'history', unless: noThread }],
      [
        { id: 'find', unless: noThread },
        { id: 'playback', unless: noThread },
        { id: 'follow', unless: noThread },
      ],
      [
        { id: 'theme-system', choice: true },
        { id: 'theme-light', choice: true },
        { id: 'theme-dark', choice: true },
      ],
      [
        { id: 'zoom-in', unless: 'It is as large as it gets, or the browser does it' },
        { id: 'zoom-out', unless: 'It is as small as it gets, or the browser does it' },
        { id: 'zoom-reset', unless: 'It has its usual size, or the browser does it' },
      ],
    ],
  },
  {
    name: 'Run',
    parts: [
      [
        { id: 'next-approval', unless: 'Nothing waits for you in this thread' },
        { id: 'approve', unless: noRow },
        { id: 'edit', unless: noRow },
        { id: 'deny', unless: noRow },
      ],
      [{ id: 'stop', unless: 'No run is live in this thread' }],
    ],
  },
  {
    name: 'Help',
    parts: [
      [{ id: 'keyboard' }, { id: 'readme' }],
      [{ id: 'licences' }, { id: 'about' }],
    ],
  },
]

/** An entry of a menu as it is now. */
export interface MenuEntry {
  id: CommandId
  name: string
  /** The key of the table that is shown beside it: one that acts. */
  key?: string
  /** Its key acts wherever the focus is. */
  anywhere: boolean
  enabled: boolean
  /** Of a choice: whether it stands. */
  checked?: boolean
  /** Why it is not enabled. */
  because?: string
}

export interface MenuNow {
  name: string
  parts: MenuEntry[][]
}

const lines = new Map(commandTable.map((each) => [each.id, each]))

/** The menus with what can be done now. */
export function menusNow(commands: Commands): MenuNow[] {
  return menuTable.map(({ name, parts }) => ({
    name,
    parts: parts.map((part) => part.flatMap((line) => entry(line, commands))),
  }))
}

function entry({ id, unless, choice }: Line, commands: Commands): MenuEntry[] {
  const command = lines.get(id)
  if (!command) return []
  const enabled = commands.can(id)
  const [key] = command.keys
  const acts = command.place !== 'list' || key?.length !== 1 || commands.singleKeys.get()
  return [
    {
      id,
      name: command.name,
      key: acts ? key : undefined,
      anywhere: command.place === 'window',
      enabled,
      ...(choice && { checked: !enabled }),
      ...(!enabled && !choice && { because: unless }),
    },
  ]
}
