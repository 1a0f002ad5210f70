import { createContext, useContext, useEffect, useEffectEvent, useRef } from 'react'

/** What is searched for in the row this stands in, where that is the row that was found and its line does not show it. */
export const SoughtContext = createContext<RegExp | undefined>(undefined)

/**
 * Lets a component open what hides a text the reader searches for. look is asked after each drawing until it says that nothing more
 * is to be done for this search.
 */
export function useSought(look: (wanted: RegExp) => boolean): void {
  const wanted = useContext(SoughtContext)
  const done = useRef<RegExp>(undefined)
  const ask = useEffectEvent(look)
  useEffect(() => {
    if (wanted && done.current !== wanted && ask(wanted)) done.current = wanted
  })
}
