import type { IconNode } from 'lucide'
import Bot from 'lucide/dist/esm/icons/bot.mjs'
import FilePen from 'lucide/dist/esm/icons/file-pen.mjs'
import FilePlus from 'lucide/dist/esm/icons/file-plus.mjs'
import FileText from 'lucide/dist/esm/icons/file-text.mjs'
import FolderTree from 'lucide/dist/esm/icons/folder-tree.mjs'
import Globe from 'lucide/dist/esm/icons/globe.mjs'
import NotebookPen from 'lucide/dist/esm/icons/notebook-pen.mjs'
import Search from 'lucide/dist/esm/icons/search.mjs'
import Terminal from 'lucide/dist/esm/icons/terminal.mjs'
import Wrench from 'lucide/dist/esm/icons/wrench.mjs'
import { useSyncExternalStore } from 'react'
import { Icon } from './Icon'

/** The icons that the tools met most often name: a thread with no others is drawn without the chunk of all names. */
const own = new Map<string, IconNode>([
  ['bot', Bot],
  ['filepen', FilePen],
  ['fileplus', FilePlus],
  ['filetext', FileText],
  ['foldertree', FolderTree],
  ['globe', Globe],
  ['notebookpen', NotebookPen],
  ['search', Search],
  ['terminal', Terminal],
])

let all: Map<string, IconNode> | undefined
let loading = false
/** So long, in ms, the chunk of all names waits, so that the rows are painted first. */
const patience = 100
const waiting = new Set<() => void>()

/** The lookup key of an icon's name: kebab-case, PascalCase and camelCase name the same icon. */
function key(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

async function load(): Promise<void> {
  loading = true
  try {
    await new Promise((resolve) => setTimeout(resolve, patience))
    const { icons } = await import('lucide')
    all = new Map(Object.entries(icons).map(([name, node]) => [key(name), node]))
  } catch (cause) {
    console.warn('Tool icons could not be loaded; a wrench stands in for them.', cause)
    all = new Map()
  }
  for (const listener of [...waiting]) listener()
}

function subscribe(listener: () => void): () => void {
  waiting.add(listener)
  if (!loading) void load()
  return () => waiting.delete(listener)
}

const current = () => all

const never = () => () => undefined

/** The icon a presentation names; a wrench for a name nobody knows. All names come in one lazy chunk. */
export function ToolIcon({ name = '', className }: { name?: string; className?: string }) {
  const known = name === '' ? Wrench : own.get(key(name))
  const icons = useSyncExternalStore(known ? never : subscribe, current)
  return <Icon node={known ?? icons?.get(key(name)) ?? Wrench} className={className} />
}
