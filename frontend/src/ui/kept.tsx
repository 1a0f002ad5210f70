import { createContext, type ReactNode, useContext, useState } from 'react'

interface Kept {
  /** Where flags are kept; absent, each lives as long as its component. */
  flags?: Map<string, boolean>
  path: string
}

const KeptContext = createContext<Kept>({ path: '' })

/** Gives what is in it a place in which to keep what is open, also while it is scrolled out of the page. */
export function Keep({ name, flags, children }: { name: string; flags?: Map<string, boolean>; children: ReactNode }) {
  const outer = useContext(KeptContext)
  return <KeptContext value={{ flags: flags ?? outer.flags, path: `${outer.path}/${name}` }}>{children}</KeptContext>
}

/** A flag that keeps its value while its component is not drawn. */
export function useKept(name: string, initial: boolean): [boolean, (value: boolean) => void] {
  const { flags, path } = useContext(KeptContext)
  const key = `${path}/${name}`
  const [value, setValue] = useState(flags?.get(key) ?? initial)
  const set = (next: boolean) => {
    flags?.set(key, next)
    setValue(next)
  }
  return [value, set]
}
