import { useMemo, useSyncExternalStore } from 'react'
import { languageNow, languagesVersion, subscribeLanguages } from './languages'
import { Highlighter } from './tokens'

/** More lines than this stay without colours. */
const manyLines = 20_000

/** What colours these lines; undefined for no known language, and while it is being loaded. */
export function useHighlighter(lines: readonly string[], language: string | undefined): Highlighter | undefined {
  const version = useLanguages()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when to look again
  return useMemo(() => {
    const now = language === undefined || lines.length > manyLines ? undefined : languageNow(language)
    return now && new Highlighter(lines, now)
  }, [lines, language, version])
}

/** Renders again when a language has been loaded. */
export function useLanguages(): number {
  return useSyncExternalStore(subscribeLanguages, languagesVersion)
}
