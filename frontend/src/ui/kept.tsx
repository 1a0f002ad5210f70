import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

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
  const { get, set } = useKeptFlags()
  const [began] = useState(initial)
  return [get(name) ?? began, (value) => set(name, value)]
}

export interface KeptFlags {
  /** undefined for a flag that was never set. */
  get(name: string): boolean | undefined
  set(name: string, value: boolean): void
}

/** Any number of flags that are kept as one of useKept is; the object changes with them. */
export function useKeptFlags(): KeptFlags {
  const { flags, path } = useContext(KeptContext)
  const [own] = useState(() => new Map<string, boolean>())
  const [version, setVersion] = useState(0)
  const kept = flags ?? own
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that a flag changed
  return useMemo(
    () => ({
      get: (name) => kept.get(`${path}/${name}`),
      set: (name, value) => {
        kept.set(`${path}/${name}`, value)
        setVersion((before) => before + 1)
      },
    }),
    [kept, path, version],
  )
}
