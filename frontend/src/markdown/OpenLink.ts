import { createContext } from 'react'

/** Opens an address outside the window, once its reader has seen it. */
export const OpenLink = createContext<(address: string) => void>(() => undefined)
