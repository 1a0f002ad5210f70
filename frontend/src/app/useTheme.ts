import { useEffect, useSyncExternalStore } from 'react'
import type { Settings } from '../transport/answers'
import type { Host } from '../transport/transport'

const kept = 'callboard.theme'
const query = '(prefers-color-scheme: light)'

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}

const systemIsLight = () => matchMedia(query).matches

/** Puts the theme on the page. Until the settings are read it is the one of the last visit. */
export function useTheme(theme: Settings['theme'] | undefined, host: Host): void {
  const light = useSyncExternalStore(subscribe, systemIsLight)
  useEffect(() => {
    const wanted = theme ?? read()
    const shown = wanted === 'light' || (wanted !== 'dark' && light) ? 'light' : 'dark'
    document.documentElement.dataset.theme = shown
    host.setTheme?.(shown)
    if (theme) write(theme)
  }, [theme, light, host])
}

function read(): string {
  try {
    return localStorage.getItem(kept) ?? ''
  } catch {
    return '' // storage may be forbidden; then the system's theme stands in
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(kept, theme)
  } catch {
    return // as above
  }
}
