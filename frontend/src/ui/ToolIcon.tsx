import type { IconNode } from 'lucide'
import Wrench from 'lucide/dist/esm/icons/wrench.mjs'
import { useSyncExternalStore } from 'react'
import { Icon } from './Icon'

let all: Map<string, IconNode> | undefined
let loading = false
const waiting = new Set<() => void>()

/** The lookup key of an icon's name: kebab-case, PascalCase and camelCase name the same icon. */
function key(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

async function load(): Promise<void> {
  loading = true
  try {
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

/** The icon a presentation names; a wrench for a name nobody knows. All names come in one lazy chunk. */
export function ToolIcon({ name, className }: { name?: string; className?: string }) {
  const icons = useSyncExternalStore(subscribe, current)
  const node = (name && icons?.get(key(name))) || Wrench
  return <Icon node={node} className={className} />
}
